// The choice of an instruction set, made once per process.
#pragma once

#include <span>
#include <string_view>

#include "gf/kernels/kernels.h"
#include "parapet/result.h"

namespace parapet::gf {

/// All implementations compiled in, best first.
std::span<const Kernels* const> all_kernels();

/// The implementation that this process uses: the one that the environment variable PARAPET_ISA named when it was
/// first asked for, else the first supported one. Errors: `unsupported` when that name is unknown or this machine
/// lacks the instruction set.
Result<const Kernels*> active_kernels();

/// The choice itself: `name` empty means the best one.
Result<const Kernels*> choose_kernels(std::string_view name);

}  // namespace parapet::gf
