// How many patterns of so many losses a code bears.
#pragma once

#include <cstdint>

#include "parapet/codec.h"

namespace parapet::front {

struct LossSurvey {
  unsigned losses = 0;
  std::uint64_t patterns = 0;  ///< Looked at.
  std::uint64_t borne = 0;     ///< Of these.
  bool exact = false;          ///< Whether all patterns were looked at, or a sample.
  [[nodiscard]] double share() const { return static_cast<double>(borne) / static_cast<double>(patterns); }
};

/// losses: at most n. Looks at all patterns where there are at most 200 000, else at a sample that is always the same.
LossSurvey survey_losses(const Code& code, unsigned losses);

}  // namespace parapet::front
