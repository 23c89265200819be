// What the benchmarks' commands share: progress on a terminal, and a report in the end.
#pragma once

#include <functional>
#include <string>

#include "bench/report.h"
#include "bench/workbench.h"
#include "front/cli/context.h"

namespace parapet::front {

using Announce = std::function<void(const std::string&)>;

/// Runs a benchmark, which is given what shows on a terminal what is being measured, and prints its report or why there
/// is none. `name` is that of the command.
void run_benchmark(Context& context, const std::string& name,
                   const std::function<Result<bench::Report, bench::Failure>(const Announce&)>& benchmark);

}  // namespace parapet::front
