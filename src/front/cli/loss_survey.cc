#include "front/cli/loss_survey.h"

#include <vector>

#include "base/combinations.h"
#include "base/prng.h"

namespace parapet::front {
namespace {

constexpr std::uint64_t pattern_count_max = 200'000;
constexpr std::uint64_t sample_size = 20'000;  // Shares are good to a percent.

ChunkSet random_losses(base::Prng& prng, unsigned n, unsigned losses) {
  ChunkSet lost;
  while (lost.count() < losses) lost.insert(static_cast<unsigned>(prng.below(n)));
  return lost;
}

}  // namespace

LossSurvey survey_losses(const Code& code, unsigned losses) {
  const unsigned n = code.n();
  LossSurvey survey{.losses = losses};
  const auto look_at = [&](const ChunkSet& lost) {
    ++survey.patterns;
    survey.borne += code.decodable(ChunkSet::range(0, n) - lost) ? 1 : 0;
  };
  survey.exact = base::binomial(n, losses, pattern_count_max) <= pattern_count_max;
  if (survey.exact) {
    std::vector<unsigned> chosen = base::first_combination(losses);
    do {
      ChunkSet lost;
      for (const unsigned index : chosen) lost.insert(index);
      look_at(lost);
    } while (base::next_combination(chosen, n));
  } else {
    base::Prng prng(losses);
    while (survey.patterns < sample_size) look_at(random_losses(prng, n, losses));
  }
  return survey;
}

}  // namespace parapet::front
