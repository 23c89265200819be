#include "front/cli/code_speed.h"

#include <vector>

#include "base/try.h"
#include "bench/codec_work.h"
#include "bench/measure.h"
#include "bench/stripe.h"
#include "shard/chunk_size.h"

namespace parapet::front {
namespace {

bench::Work repair_work(const Plan& plan, const bench::Stripe& stripe) {
  std::vector<ConstRegion> inputs;
  for (const ChunkRange& read : plan.reads()) inputs.emplace_back(stripe.chunks[read.chunk] + read.offset, read.length);
  const Region output(stripe.outputs[0], stripe.chunk_size);
  return [plan, inputs = std::move(inputs), output](std::size_t) { plan.run(inputs, {&output, 1}).value(); };
}

/// Bytes in billions per second.
double rate(std::size_t bytes, const bench::Samples& seconds) {
  return static_cast<double>(bytes) / bench::median(seconds) / 1e9;
}

}  // namespace

Result<CodeSpeed> measure_speed(const Code& code) {
  const std::size_t chunk_size = shard::default_chunk_size(code);
  const ChunkSet others = ChunkSet::range(1, code.n());
  PARAPET_TRY(const Plan plan, code.plan_repair(others, {0}, chunk_size));
  bench::Arena arena;
  const std::vector<bench::Stripe> stripes =
      arena.lay_out({code.k(), code.m()}, chunk_size, bench::Layout::staggered, 1);
  const std::vector<bench::Work> works{bench::encode_work(code, stripes), repair_work(plan, stripes.front())};
  const std::vector<bench::Samples> seconds = bench::measure(works, {.sample_count = 5});
  return CodeSpeed{chunk_size, rate(code.k() * chunk_size, seconds[0]), rate(chunk_size, seconds[1])};
}

}  // namespace parapet::front
