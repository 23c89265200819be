// Wrong calls of every public function: the documented error, and nothing written.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();
constexpr Memory device{MemoryKind::device, 0};

template <class T>
void expect_error(const Result<T>& result, ErrorCode code, const char* what) {
  ASSERT_FALSE(result.has_value()) << what;
  EXPECT_EQ(result.error().code, code) << what << ": " << result.error().message();
  EXPECT_EQ(result.error().message().find_first_of("\n{}"), std::string::npos) << result.error().message();
}

template <class T>
void expect_invalid(const Result<T>& result, const char* what) {
  expect_error(result, ErrorCode::invalid_argument, what);
}

/// A stripe of (4, 2) whose regions a test spoils; afterwards all bytes must be as they were.
class Misuse : public testing::TestWithParam<const char*> {
 protected:
  Misuse()
      : oracle(GetParam()),
        code(parse(GetParam())),
        multiple(oracle.chunk_size_multiple()),
        chunk_size(chunk_size_from(oracle, 32)),
        prng(1),
        stripe(random_stripe(oracle, prng, chunk_size)) {
    outputs = random_chunks(prng, 2, chunk_size);
    stripe_before = stripe;
    outputs_before = outputs;
    all = const_regions(stripe);
    data.assign(all.begin(), all.begin() + 4);
    parity = regions(outputs);
    change = all[0];
  }
  ~Misuse() override {
    EXPECT_TRUE(stripe == stripe_before) << "an input was changed";
    EXPECT_TRUE(outputs == outputs_before) << "an output was written";
  }

  /// The list with one region replaced.
  template <class AnyRegion>
  static std::vector<AnyRegion> with(std::vector<AnyRegion> list, std::size_t index, AnyRegion region) {
    list[index] = region;
    return list;
  }
  template <class AnyRegion>
  static std::vector<AnyRegion> without_last(std::vector<AnyRegion> list) {
    list.pop_back();
    return list;
  }
  template <class AnyRegion>
  static std::vector<AnyRegion> with_one_more(std::vector<AnyRegion> list) {
    list.push_back(list.back());
    return list;
  }
  template <class AnyRegion>
  static std::vector<AnyRegion> resized(std::vector<AnyRegion> list, std::size_t size) {
    for (AnyRegion& region : list) region.size = size;
    return list;
  }
  [[nodiscard]] ConstRegion sized(std::size_t index, std::size_t size) const { return {all[index].data, size}; }

  Oracle oracle;
  Code code;
  std::size_t multiple;
  std::size_t chunk_size;
  base::Prng prng;
  std::vector<Bytes> stripe, outputs, stripe_before, outputs_before;
  std::vector<ConstRegion> data, all;
  std::vector<Region> parity;
  ConstRegion change;
};

TEST_P(Misuse, Encode) {
  expect_invalid(code.encode({}, parity), "no data");
  expect_invalid(code.encode(data, {}), "no parity");
  expect_invalid(code.encode({}, {}), "nothing");
  expect_invalid(code.encode(without_last(data), parity), "too few data");
  expect_invalid(code.encode(with_one_more(data), parity), "too many data");
  expect_invalid(code.encode(data, without_last(parity)), "too few parities");
  expect_invalid(code.encode(data, with_one_more(parity)), "too many parities");
  for (std::size_t i = 0; i < 4; ++i) {
    expect_invalid(code.encode(with(data, i, {}), parity), "null data");
    expect_invalid(code.encode(with(data, i, ConstRegion(nullptr, chunk_size)), parity), "null data with a size");
    expect_invalid(code.encode(with(data, i, sized(i, chunk_size - multiple)), parity), "short data");
    expect_invalid(code.encode(with(data, i, sized(i, 0)), parity), "empty data");
    expect_error(code.encode(with(data, i, ConstRegion(all[i].data, chunk_size, device)), parity),
                 ErrorCode::unsupported, "device data");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    expect_invalid(code.encode(data, with(parity, i, {})), "null parity");
    expect_invalid(code.encode(data, with(parity, i, Region(outputs[i].data(), chunk_size - multiple))),
                   "short parity");
    expect_invalid(code.encode(data, with(parity, i, Region(outputs[i].data(), size_max))), "huge parity");
    expect_error(code.encode(data, with(parity, i, Region(outputs[i].data(), chunk_size, device))),
                 ErrorCode::unsupported, "device parity");
  }
  expect_invalid(code.encode(resized(data, 0), resized(parity, 0)), "empty chunks");
}

TEST_P(Misuse, Verify) {
  expect_invalid(code.verify({}), "nothing");
  expect_invalid(code.verify(data), "too few");
  expect_invalid(code.verify(with_one_more(all)), "too many");
  for (std::size_t i = 0; i < 6; ++i) {
    expect_invalid(code.verify(with(all, i, {})), "null");
    expect_invalid(code.verify(with(all, i, sized(i, chunk_size - multiple))), "unequal");
    expect_error(code.verify(with(all, i, ConstRegion(all[i].data, chunk_size, device))), ErrorCode::unsupported,
                 "device");
  }
  expect_invalid(code.verify(resized(all, 0)), "empty chunks");
}

TEST_P(Misuse, Reconstruct) {
  const auto lost = with(with(all, 1, {}), 5, {});
  const IndexedRegion one{1, parity[0]}, five{5, parity[1]};
  const auto reconstruct = [&](const std::vector<ConstRegion>& chunks, std::vector<IndexedRegion> wanted) {
    return code.reconstruct(chunks, wanted);
  };
  expect_invalid(reconstruct({}, {one}), "no chunks");
  expect_invalid(reconstruct(without_last(lost), {one}), "too few chunks");
  expect_invalid(reconstruct(with_one_more(lost), {one}), "too many chunks");
  expect_invalid(reconstruct(all, {one}), "given and wanted");
  expect_invalid(reconstruct(lost, {one, {0, parity[1]}}), "given and wanted, second");
  expect_invalid(reconstruct(lost, {one, one}), "wanted twice");
  expect_invalid(reconstruct(lost, {one, five, {1, parity[1]}}), "wanted twice, apart");
  for (const unsigned index : {6u, 256u, 1u << 31, ~0u})
    expect_invalid(reconstruct(lost, {one, {index, parity[1]}}), "index out of range");
  expect_invalid(reconstruct(lost, {one, {5, Region()}}), "null output");
  expect_invalid(reconstruct(lost, {one, {5, Region(outputs[1].data(), chunk_size - multiple)}}), "short output");
  expect_invalid(reconstruct(lost, {one, {5, Region(outputs[1].data(), chunk_size + multiple)}}), "long output");
  expect_error(reconstruct(lost, {one, {5, Region(outputs[1].data(), chunk_size, device)}}), ErrorCode::unsupported,
               "device output");
  for (const std::size_t i : {0u, 2u, 4u}) {
    expect_invalid(reconstruct(with(lost, i, sized(i, chunk_size - multiple)), {one}), "unequal chunks");
    expect_invalid(reconstruct(with(lost, i, sized(i, 0)), {one}), "empty chunk");
    expect_error(reconstruct(with(lost, i, ConstRegion(all[i].data, chunk_size, device)), {one}),
                 ErrorCode::unsupported, "device chunk");
  }
  expect_error(reconstruct(with(lost, 0, {}), {one}), ErrorCode::too_many_losses, "too many losses");
  expect_error(reconstruct(std::vector<ConstRegion>(6), {one}), ErrorCode::too_many_losses, "everything lost");
  EXPECT_TRUE(reconstruct(lost, {}).has_value()) << "to want nothing is no mistake";
}

TEST_P(Misuse, UpdateAndApplyDelta) {
  const ConstRegion some(stripe[0].data(), 4);
  const auto both = [&](unsigned index, std::size_t offset, ConstRegion before, std::span<const Region> to,
                        const char* what) {
    expect_invalid(code.update(index, offset, before, before, to), what);
    expect_invalid(code.apply_delta(index, offset, before, to), what);
  };
  for (const unsigned index : {4u, 5u, 6u, 256u, ~0u}) both(index, 0, some, parity, "index is no data chunk");
  both(0, chunk_size - 3, some, parity, "one byte beyond the end");
  both(0, chunk_size + 1, some, parity, "offset beyond the end");
  both(0, chunk_size + 1, ConstRegion(stripe[0].data(), 0), parity, "no bytes, beyond the end");
  both(0, size_max, some, parity, "offset overflows");
  both(0, size_max - 3, some, parity, "offset and length overflow to zero");
  both(0, 4, ConstRegion(stripe[0].data(), size_max), parity, "length overflows");
  both(0, 1, ConstRegion(stripe[0].data(), size_max), parity, "length overflows to the offset");
  both(0, 0, ConstRegion(), parity, "null");
  both(0, 0, ConstRegion(nullptr, 4), parity, "null with a size");
  both(0, 0, some, {}, "no parities");
  both(0, 0, some, without_last(parity), "too few parities");
  both(0, 0, some, with_one_more(parity), "too many parities");
  both(0, 0, some, with(with(parity, 0, {}), 1, {}), "all parities null");
  both(0, 0, some, with(parity, 1, Region(outputs[1].data(), chunk_size - multiple)), "unequal parities");
  both(0, 0, some, with(parity, 0, Region(outputs[0].data(), 0)), "empty parity");
  expect_invalid(code.update(0, 0, some, ConstRegion(), parity), "null after");
  expect_invalid(code.update(0, 0, some, ConstRegion(stripe[1].data(), 3), parity), "shorter after");
  expect_invalid(code.update(0, 0, some, ConstRegion(stripe[1].data(), 5), parity), "longer after");
  const ConstRegion on_device(stripe[0].data(), 4, device);
  expect_error(code.update(0, 0, on_device, some, parity), ErrorCode::unsupported, "device before");
  expect_error(code.update(0, 0, some, on_device, parity), ErrorCode::unsupported, "device after");
  expect_error(code.apply_delta(0, 0, on_device, parity), ErrorCode::unsupported, "device delta");
  for (std::size_t i = 0; i < 2; ++i)
    expect_error(code.apply_delta(0, 0, some, with(parity, i, Region(outputs[i].data(), chunk_size, device))),
                 ErrorCode::unsupported, "device parity");
  EXPECT_TRUE(code.update(0, chunk_size, ConstRegion(stripe[0].data(), 0), ConstRegion(stripe[1].data(), 0), parity)
                  .has_value())
      << "to change nothing, at the very end, is no mistake";
}

TEST_P(Misuse, Replace) {
  const auto replace = [&](std::vector<ConstIndexedRegion> deltas, const std::vector<Region>& to) {
    return code.replace(deltas, to);
  };
  for (const unsigned index : {4u, 6u, 256u, ~0u})
    expect_invalid(replace({{index, change}}, parity), "index is no data chunk");
  expect_invalid(replace({{1, change}, {0, change}, {1, change}}, parity), "index twice");
  expect_invalid(replace({{0, change}, {1, ConstRegion()}}, parity), "null");
  expect_invalid(replace({{0, change}, {1, sized(1, chunk_size - multiple)}}, parity), "short");
  expect_invalid(replace({{0, change}, {1, sized(1, chunk_size + multiple)}}, parity), "long");
  expect_invalid(replace({{0, change}}, {}), "no parities");
  expect_invalid(replace({{0, change}}, without_last(parity)), "too few parities");
  expect_invalid(replace({{0, change}}, with(with(parity, 0, {}), 1, {})), "all parities null");
  expect_invalid(replace({{0, change}}, with(parity, 1, Region(outputs[1].data(), chunk_size - multiple))),
                 "unequal parities");
  expect_error(replace({{0, ConstRegion(stripe[0].data(), chunk_size, device)}}, parity), ErrorCode::unsupported,
               "device");
  expect_error(replace({{0, change}}, with(parity, 1, Region(outputs[1].data(), chunk_size, device))),
               ErrorCode::unsupported, "device parity");
  EXPECT_TRUE(replace({}, parity).has_value()) << "to replace nothing is no mistake";
}

TEST_P(Misuse, PlanRepair) {
  const ChunkSet available{0, 2, 3, 4};
  expect_invalid(code.plan_repair(available, {}, chunk_size), "nothing wanted");
  expect_invalid(code.plan_repair(available, {0}, chunk_size), "available and wanted");
  expect_invalid(code.plan_repair(available, {1, 2}, chunk_size), "one is available and wanted");
  expect_invalid(code.plan_repair(available, {6}, chunk_size), "wanted is out of range");
  expect_invalid(code.plan_repair(available, {1, 255}, chunk_size), "one wanted is out of range");
  expect_invalid(code.plan_repair(available | ChunkSet{6}, {1}, chunk_size), "available is out of range");
  expect_invalid(code.plan_repair(available, {1}, 0), "no size");
  expect_error(code.plan_repair({0, 2, 3}, {1}, chunk_size), ErrorCode::too_many_losses, "too many losses");
  expect_error(code.plan_repair({}, {1}, chunk_size), ErrorCode::too_many_losses, "nothing available");
}

TEST_P(Misuse, PlanRead) {
  const ChunkSet available{0, 2, 3, 4};
  const auto read = [&](const ChunkRange& range) { return code.plan_read(available, range, chunk_size); };
  expect_invalid(read({1, 0, 0}), "empty range");
  expect_invalid(read({1, chunk_size, 0}), "empty range at the end");
  expect_invalid(read({1, 0, chunk_size + 1}), "too long");
  expect_invalid(read({1, chunk_size, 1}), "beyond the end");
  expect_invalid(read({1, size_max, 1}), "offset overflows");
  expect_invalid(read({1, size_max, 2}), "offset and length overflow");
  expect_invalid(read({1, 1, size_max}), "length overflows");
  expect_invalid(read({1, size_max, size_max}), "both overflow");
  expect_invalid(read({0, 0, 4}), "available");
  for (const unsigned chunk : {6u, 255u, 256u, 257u, ~0u}) expect_invalid(read({chunk, 0, 4}), "index out of range");
  expect_invalid(code.plan_read(available, {1, 0, 4}, 0), "no size");
  expect_invalid(code.plan_read(available | ChunkSet{255}, {1, 0, 4}, chunk_size), "available is out of range");
  expect_error(code.plan_read({0, 2, 3}, {1, 0, 4}, chunk_size), ErrorCode::too_many_losses, "too many losses");
}

TEST_P(Misuse, PlanRun) {
  const auto plan = code.plan_repair({0, 2, 3, 4}, {1, 5}, chunk_size);
  ASSERT_TRUE(plan.has_value());
  std::vector<ConstRegion> inputs;
  for (const ChunkRange& range : plan->reads())
    inputs.emplace_back(stripe[range.chunk].data() + range.offset, range.length);
  expect_invalid(plan->run({}, parity), "no inputs");
  expect_invalid(plan->run(inputs, {}), "no outputs");
  expect_invalid(plan->run(without_last(inputs), parity), "too few inputs");
  expect_invalid(plan->run(with_one_more(inputs), parity), "too many inputs");
  expect_invalid(plan->run(inputs, without_last(parity)), "too few outputs");
  expect_invalid(plan->run(inputs, with_one_more(parity)), "too many outputs");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint8_t* const bytes = inputs[i].data;
    expect_invalid(plan->run(with(inputs, i, {}), parity), "null input");
    expect_invalid(plan->run(with(inputs, i, ConstRegion(bytes, inputs[i].size - 1)), parity), "short input");
    expect_invalid(plan->run(with(inputs, i, ConstRegion(bytes, inputs[i].size + 1)), parity), "long input");
    expect_error(plan->run(with(inputs, i, ConstRegion(bytes, inputs[i].size, device)), parity), ErrorCode::unsupported,
                 "device input");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    expect_invalid(plan->run(inputs, with(parity, i, {})), "null output");
    expect_invalid(plan->run(inputs, with(parity, i, Region(outputs[i].data(), chunk_size - 1))), "short output");
    expect_error(plan->run(inputs, with(parity, i, Region(outputs[i].data(), chunk_size, device))),
                 ErrorCode::unsupported, "device output");
  }
}

INSTANTIATE_TEST_SUITE_P(Codes, Misuse,
                         testing::Values("rs(4,2)", "rs(4,2,matrix=vandermonde)", "reed_sol_r6_op(4,2)", "xrs(4,2)",
                                         "hitchhiker(4,2)", "lrc(4,1,1)", "clay(4,2)", "rdp(4,2)", "evenodd(4,2)",
                                         "cauchy_orig(4,2,w=3)", "cauchy_good(4,2,packetsize=8)",
                                         "liberation(4,2,packetsize=24)", "blaum_roth(4,2)",
                                         "liber8tion(4,2,packetsize=8)"),
                         test_name);

/// Every function that takes chunks, with a size that does not fit the code's sub-chunks or packets.
void expect_size_refused(const Code& code, std::size_t size) {
  SCOPED_TRACE(code.text() + " with chunks of " + std::to_string(size));
  const unsigned k = code.k(), n = code.n();
  base::Prng prng(1);
  auto chunks = random_chunks(prng, n, size);
  const auto before = chunks;
  const auto all = const_regions(chunks);
  auto outputs = regions(chunks);
  outputs.erase(outputs.begin(), outputs.begin() + k);
  auto lost = all;
  lost[0] = {};
  const IndexedRegion wanted{0, {chunks[0].data(), size}};
  const ConstIndexedRegion delta{0, all[0]};
  const ConstRegion two_bytes(chunks[0].data(), 2);
  const ChunkSet available = ChunkSet::range(1, n);
  const std::string message = "multiple of " + std::to_string(code.chunk_size_multiple());
  const auto expect_refused = [&](const auto& result, const char* what) {
    expect_invalid(result, what);
    EXPECT_NE(result.error().message().find(message), std::string::npos) << what << ": " << result.error().message();
  };
  expect_refused(code.encode(std::span(all).first(k), outputs), "encode");
  expect_refused(code.verify(all), "verify");
  expect_refused(code.reconstruct(lost, {&wanted, 1}), "reconstruct");
  expect_refused(code.update(0, 0, two_bytes, two_bytes, outputs), "update");
  expect_refused(code.apply_delta(0, 0, two_bytes, outputs), "apply_delta");
  expect_refused(code.replace({&delta, 1}, outputs), "replace");
  expect_refused(code.plan_repair(available, {0}, size), "plan_repair");
  expect_refused(code.plan_read(available, {0, 0, 2}, size), "plan_read");
  EXPECT_TRUE(chunks == before);
}

TEST(MisuseOfSubChunks, SizesThatDoNotFit) {
  for (const char* const text : {"xrs(2,2)", "hitchhiker(2,3)", "clay(4,2)", "rdp(4,2)", "evenodd(3,2,p=7)",
                                 "cauchy_good(3,2)", "cauchy_orig(3,2,w=4,packetsize=24)",
                                 "liberation(3,2,packetsize=8)", "blaum_roth(4,2)", "liber8tion(3,2,packetsize=16)"}) {
    const Code code = parse(text);
    const std::size_t multiple = code.chunk_size_multiple();
    for (const std::size_t size : {multiple + 1, 2 * multiple - 1, multiple / 2 + 4 * multiple})
      expect_size_refused(code, size);
    const auto huge = code.plan_repair(ChunkSet::range(1, code.n()), {0}, size_max - size_max % multiple - 1);
    expect_invalid(huge, "plan_repair of the largest size that does not fit");
  }
  EXPECT_EQ(parse("cauchy_orig(3,2,w=4,packetsize=24)").chunk_size_multiple(), 96u);
  EXPECT_EQ(parse("cauchy_orig(3,2,w=4)").chunk_size_multiple(), 4u);
}

}  // namespace
}  // namespace parapet::codec
