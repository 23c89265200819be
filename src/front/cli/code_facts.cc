#include "front/cli/code_facts.h"

#include <algorithm>

#include "base/try.h"
#include "shard/chunk_size.h"

namespace parapet::front {

RepairMean CodeFacts::mean(unsigned first, unsigned last) const {
  RepairMean mean;
  for (unsigned index = first; index < last; ++index) {
    mean.chunks += chunks_read(repairs[index]);
    mean.devices += static_cast<double>(repairs[index].chunks);
  }
  return {mean.chunks / (last - first), mean.devices / (last - first)};
}

Result<CodeFacts> facts_of(const Code& code) {
  CodeFacts facts{.code = code, .chunk_size_min = shard::rows_of(code).granule(), .beyond = {}, .repairs = {}};
  for (unsigned losses = code.tolerance() + 1; losses <= std::min(code.tolerance() + 2, code.m()); ++losses)
    facts.beyond.push_back(survey_losses(code, losses));
  for (unsigned index = 0; index < code.n(); ++index) {
    const ChunkSet others = ChunkSet::range(0, code.n()) - ChunkSet{index};
    PARAPET_TRY(const Plan plan, code.plan_repair(others, {index}, facts.chunk_size_min));
    facts.repairs.push_back(plan.cost());
  }
  for (unsigned index = 0; index < code.k(); ++index)
    facts.update_chunks += (1.0 + code.parities_of(index).count()) / code.k();
  return facts;
}

}  // namespace parapet::front
