// What `parapet codes` prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "front/cli/code_choice.h"
#include "front/cli/code_facts.h"
#include "front/cli/code_speed.h"
#include "front/cli/output.h"

namespace parapet::front {

struct CodeEntry {
  CodeFacts facts;
  std::optional<CodeSpeed> speed;  ///< Where it was measured.
};

/// A table of codes with equal k and m, one per line; the codes of `absent` below it with their reasons.
std::string code_table(const std::vector<CodeEntry>& entries, const std::vector<AbsentCode>& absent);

/// All about one code, in some lines.
std::string code_description(const CodeEntry& entry);

Json code_json(const CodeEntry& entry);

}  // namespace parapet::front
