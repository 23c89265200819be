// Which codes there are for so many data and parity chunks.
#pragma once

#include <string>
#include <vector>

#include "parapet/codec.h"

namespace parapet::front {

/// A family that has no code for them.
struct AbsentCode {
  std::string text;  ///< How it would be written.
  std::string reason;
};

struct CodeChoice {
  std::vector<Code> codes;
  std::vector<AbsentCode> absent;
};

/// The default code of every family with k data and m parity chunks. Errors: those of parsing that are not about a
/// family's rules, and `invalid_argument` when no code has so many chunks.
Result<CodeChoice> codes_with(unsigned k, unsigned m);

}  // namespace parapet::front
