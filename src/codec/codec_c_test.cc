#include "parapet/codec_c.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/prng.h"
#include "codec/codec_c_arguments.h"

namespace parapet::codec {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Free {
  void operator()(parapet_code* code) const { parapet_code_free(code); }
  void operator()(parapet_plan* plan) const { parapet_plan_free(plan); }
};
using CodeHandle = std::unique_ptr<parapet_code, Free>;
using PlanHandle = std::unique_ptr<parapet_plan, Free>;

CodeHandle parse(const char* text) {
  parapet_code* code = nullptr;
  parapet_error error;
  EXPECT_EQ(parapet_code_parse(text, &code, &error), PARAPET_OK) << error.message;
  return CodeHandle(code);
}

parapet_region writable(Bytes& bytes) { return {bytes.data(), bytes.size(), PARAPET_MEMORY_HOST, 0}; }
parapet_const_region readable(const Bytes& bytes) { return {bytes.data(), bytes.size(), PARAPET_MEMORY_HOST, 0}; }

/// A code and n chunks of random data with matching parity.
struct Stripe {
  explicit Stripe(const char* code_text, std::size_t size = 512) : code(parse(code_text)) {
    k = parapet_code_k(code.get());
    m = parapet_code_m(code.get());
    n = k + m;
    chunks.assign(n, Bytes(size));
    base::Prng prng(size + n);
    for (unsigned i = 0; i < k; ++i) prng.fill(chunks[i].data(), size);
    encode(chunks);
  }

  void encode(std::vector<Bytes>& into) const {
    parapet_error error;
    const auto data = inputs(into);
    const auto outputs = parity(into);
    EXPECT_EQ(parapet_code_encode(code.get(), data.data(), k, outputs.data(), m, &error), PARAPET_OK) << error.message;
  }

  static std::vector<parapet_const_region> inputs(const std::vector<Bytes>& from) {
    std::vector<parapet_const_region> regions;
    for (const Bytes& chunk : from) regions.push_back(readable(chunk));
    return regions;
  }
  std::vector<parapet_region> parity(std::vector<Bytes>& from) const {
    std::vector<parapet_region> regions;
    for (unsigned i = k; i < n; ++i) regions.push_back(writable(from[i]));
    return regions;
  }

  CodeHandle code;
  unsigned k = 0, m = 0, n = 0;
  std::vector<Bytes> chunks;
};

std::vector<unsigned> all_but(unsigned n, std::vector<unsigned> lost) {
  std::vector<unsigned> left;
  for (unsigned i = 0; i < n; ++i)
    if (std::find(lost.begin(), lost.end(), i) == lost.end()) left.push_back(i);
  return left;
}

/// Runs `plan` on `chunks` and returns its outputs.
std::vector<Bytes> run(const parapet_plan* plan, const std::vector<Bytes>& chunks) {
  std::size_t read_count = 0, output_count = 0;
  const parapet_chunk_range* reads = parapet_plan_reads(plan, &read_count);
  const parapet_chunk_range* writes = parapet_plan_outputs(plan, &output_count);
  std::vector<parapet_const_region> inputs;
  for (std::size_t i = 0; i < read_count; ++i)
    inputs.push_back({chunks[reads[i].chunk].data() + reads[i].offset, reads[i].length, PARAPET_MEMORY_HOST, 0});
  std::vector<Bytes> results;
  for (std::size_t i = 0; i < output_count; ++i) results.emplace_back(writes[i].length);
  std::vector<parapet_region> outputs;
  for (Bytes& result : results) outputs.push_back(writable(result));
  parapet_error error;
  EXPECT_EQ(parapet_plan_run(plan, inputs.data(), inputs.size(), outputs.data(), outputs.size(), &error), PARAPET_OK)
      << error.message;
  return results;
}

TEST(CodecC, ParseDescribesTheCode) {
  const CodeHandle code = parse(" xrs( 12, 4 ) ");
  EXPECT_STREQ(parapet_code_text(code.get()), "xrs(12,4)");
  EXPECT_EQ(parapet_code_k(code.get()), 12u);
  EXPECT_EQ(parapet_code_m(code.get()), 4u);
  EXPECT_EQ(parapet_code_alpha(code.get()), 2u);
  EXPECT_EQ(parapet_code_tolerance(code.get()), 4u);
  EXPECT_EQ(parapet_code_chunk_size_multiple(code.get()) % 2, 0u);
  EXPECT_EQ(parapet_code_alpha(parse("rs(4,2)").get()), 1u);
}

TEST(CodecC, ParseRefusesNonsenseAndStoresNothing) {
  int somewhere = 0;
  auto* const untouched = reinterpret_cast<parapet_code*>(&somewhere);
  for (const char* text : {"", "rs", "rs(0,2)", "rs(200,100)", "nothing(4,2)", "rs(4,2))"}) {
    parapet_code* code = untouched;
    parapet_error error;
    EXPECT_EQ(parapet_code_parse(text, &code, &error), PARAPET_INVALID_ARGUMENT) << text;
    EXPECT_EQ(error.code, PARAPET_INVALID_ARGUMENT);
    EXPECT_EQ(error.os_errno, 0);
    EXPECT_GT(std::strlen(error.message), 0u);
    EXPECT_EQ(std::strchr(error.message, '\n'), nullptr);
    EXPECT_EQ(code, untouched);
  }
  parapet_code* code = nullptr;
  EXPECT_EQ(parapet_code_parse(nullptr, &code, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_parse("rs(4,2)", nullptr, nullptr), PARAPET_INVALID_ARGUMENT);
}

TEST(CodecC, SuccessClearsTheError) {
  parapet_code* code = nullptr;
  parapet_error error;
  EXPECT_NE(parapet_code_parse("x", &code, &error), PARAPET_OK);
  EXPECT_EQ(parapet_code_parse("rs(4,2)", &code, &error), PARAPET_OK);
  const CodeHandle owner(code);
  EXPECT_EQ(error.code, PARAPET_OK);
  EXPECT_STREQ(error.message, "");
}

TEST(CodecC, NullHandlesAreHarmless) {
  parapet_code_free(nullptr);
  parapet_plan_free(nullptr);
  EXPECT_EQ(parapet_code_text(nullptr), nullptr);
  EXPECT_EQ(parapet_code_k(nullptr) + parapet_code_m(nullptr) + parapet_code_alpha(nullptr), 0u);
  EXPECT_EQ(parapet_code_tolerance(nullptr) + parapet_code_chunk_size_multiple(nullptr), 0u);
  std::size_t count = 7;
  EXPECT_EQ(parapet_plan_reads(nullptr, &count), nullptr);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(parapet_plan_outputs(nullptr, nullptr), nullptr);
  EXPECT_EQ(parapet_plan_cost(nullptr).bytes + parapet_plan_cost(nullptr).chunks, 0u);
  EXPECT_EQ(parapet_code_packet_size(nullptr), 0u);
  EXPECT_EQ(parapet_families(nullptr), nullptr);
  EXPECT_EQ(parapet_active_isa(nullptr, nullptr), PARAPET_INVALID_ARGUMENT);

  int decodable = 0;
  std::size_t wrong_count = 0;
  unsigned wrong[4];
  parapet_plan* plan = nullptr;
  const parapet_const_region none{};
  EXPECT_EQ(parapet_code_decodable(nullptr, nullptr, 0, &decodable, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_parities_of(nullptr, 0, wrong, 4, &wrong_count, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_encode(nullptr, nullptr, 0, nullptr, 0, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_verify(nullptr, nullptr, 0, wrong, 4, &wrong_count, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_reconstruct(nullptr, nullptr, 0, nullptr, 0, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_update(nullptr, 0, 0, none, none, nullptr, 0, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_apply_delta(nullptr, 0, 0, none, nullptr, 0, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_replace(nullptr, nullptr, 0, nullptr, 0, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_plan_repair(nullptr, nullptr, 0, nullptr, 0, 4096, 0, &plan, nullptr),
            PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_plan_read(nullptr, nullptr, 0, {0, 0, 1}, 4096, 0, &plan, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_plan_run(nullptr, nullptr, 0, nullptr, 0, nullptr), PARAPET_INVALID_ARGUMENT);
}

TEST(CodecC, DecodableCountsDistinctChunks) {
  const CodeHandle code = parse("rs(4,2)");
  const unsigned four[] = {5, 1, 3, 4};
  int decodable = -1;
  EXPECT_EQ(parapet_code_decodable(code.get(), four, 4, &decodable, nullptr), PARAPET_OK);
  EXPECT_EQ(decodable, 1);
  EXPECT_EQ(parapet_code_decodable(code.get(), four, 3, &decodable, nullptr), PARAPET_OK);
  EXPECT_EQ(decodable, 0);
  EXPECT_EQ(parapet_code_decodable(code.get(), nullptr, 0, &decodable, nullptr), PARAPET_OK);
  EXPECT_EQ(decodable, 0);

  const unsigned repeated[] = {1, 2, 1}, outside[] = {0, 6};
  parapet_error error;
  EXPECT_EQ(parapet_code_decodable(code.get(), repeated, 3, &decodable, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "decodable: chunk index 1 is repeated");
  EXPECT_EQ(parapet_code_decodable(code.get(), outside, 2, &decodable, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "decodable: chunk index 6 is not below 6");
  EXPECT_EQ(parapet_code_decodable(code.get(), nullptr, 2, &decodable, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_decodable(code.get(), four, 4, nullptr, nullptr), PARAPET_INVALID_ARGUMENT);
}

TEST(CodecC, PacketSizeIsThatOfTheCode) {
  EXPECT_EQ(parapet_code_packet_size(parse("rs(4,2)").get()), 0u);
  EXPECT_EQ(parapet_code_packet_size(parse("liberation(5,2,packetsize=24)").get()), 24u);
  EXPECT_EQ(parapet_code_chunk_size_multiple(parse("liberation(5,2,packetsize=24)").get()), 5u * 24);
}

TEST(CodecC, ParitiesOfAreThoseThatDepend) {
  const CodeHandle code = parse("lrc(6,2,2)");  // Parity: a local one for 0..2, one for 3..5, two global ones.
  unsigned parities[4] = {};
  std::size_t count = 9;
  const auto parities_of = [&](unsigned index) {
    EXPECT_EQ(parapet_code_parities_of(code.get(), index, parities, 4, &count, nullptr), PARAPET_OK);
    return std::vector<unsigned>(parities, parities + count);
  };
  EXPECT_EQ(parities_of(2), (std::vector<unsigned>{6, 8, 9}));
  EXPECT_EQ(parities_of(3), (std::vector<unsigned>{7, 8, 9}));
  EXPECT_EQ(parities_of(6), std::vector<unsigned>{});
  EXPECT_EQ(parities_of(100), std::vector<unsigned>{});
  parapet_error error;
  EXPECT_EQ(parapet_code_parities_of(code.get(), 0, parities, 3, &count, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "parities_of: room for 3 indices, 4 are needed");
  EXPECT_EQ(parapet_code_parities_of(code.get(), 0, nullptr, 4, &count, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_parities_of(code.get(), 0, parities, 4, nullptr, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(count, 0u);
}

TEST(CodecC, EncodeGivesTheBytesOfTheCppApi) {
  for (const char* text : {"rs(4,2)", "xrs(6,3)"}) {
    const Stripe stripe(text);
    std::vector<ConstRegion> data;
    for (unsigned i = 0; i < stripe.k; ++i) data.emplace_back(stripe.chunks[i].data(), stripe.chunks[i].size());
    std::vector<Bytes> expected(stripe.m, Bytes(stripe.chunks[0].size()));
    std::vector<Region> parity;
    for (Bytes& chunk : expected) parity.emplace_back(chunk.data(), chunk.size());
    ASSERT_TRUE(Code::parse(text).value().encode(data, parity).has_value());
    EXPECT_EQ(std::vector<Bytes>(stripe.chunks.begin() + stripe.k, stripe.chunks.end()), expected) << text;
  }
}

TEST(CodecC, EncodeRefusesWrongShapesAndWritesNothing) {
  Stripe stripe("rs(4,2)");
  const std::vector<Bytes> before = stripe.chunks;
  const auto data = Stripe::inputs(stripe.chunks);
  const auto parity = stripe.parity(stripe.chunks);
  const auto* code = stripe.code.get();
  stripe.chunks[0][0] ^= 1;  // so that a call that does write changes the parity
  const auto expect = [&](int status, const auto& inputs, std::size_t k, const auto& outputs, std::size_t m) {
    parapet_error error;
    EXPECT_EQ(parapet_code_encode(code, inputs, k, outputs, m, &error), status) << error.message;
    EXPECT_EQ(error.code, status);
    for (unsigned i = 1; i < stripe.n; ++i) EXPECT_EQ(stripe.chunks[i], before[i]);
  };
  expect(PARAPET_INVALID_ARGUMENT, data.data(), 3, parity.data(), 2);
  expect(PARAPET_INVALID_ARGUMENT, data.data(), 4, parity.data(), 1);
  expect(PARAPET_INVALID_ARGUMENT, data.data(), ~std::size_t{0}, parity.data(), 2);
  expect(PARAPET_INVALID_ARGUMENT, static_cast<const parapet_const_region*>(nullptr), 4, parity.data(), 2);
  expect(PARAPET_INVALID_ARGUMENT, data.data(), 4, static_cast<const parapet_region*>(nullptr), 2);
  const auto with = [&](auto change) {
    auto changed = data;
    change(changed[2]);
    return changed;
  };
  expect(PARAPET_INVALID_ARGUMENT, with([](auto& region) { region.size -= 1; }).data(), 4, parity.data(), 2);
  expect(PARAPET_INVALID_ARGUMENT, with([](auto& region) { region.data = nullptr; }).data(), 4, parity.data(), 2);
  expect(PARAPET_INVALID_ARGUMENT, with([](auto& region) { region.memory_kind = 2; }).data(), 4, parity.data(), 2);
  expect(PARAPET_INVALID_ARGUMENT, with([](auto& region) { region.memory_ordinal = 256; }).data(), 4, parity.data(), 2);
  expect(PARAPET_INVALID_ARGUMENT, with([](auto& region) { region.memory_ordinal = -1; }).data(), 4, parity.data(), 2);
  expect(PARAPET_UNSUPPORTED, with([](auto& region) { region.memory_kind = PARAPET_MEMORY_DEVICE; }).data(), 4,
         parity.data(), 2);
  auto on_device = parity;
  on_device[1].memory_kind = PARAPET_MEMORY_DEVICE;
  expect(PARAPET_UNSUPPORTED, data.data(), 4, on_device.data(), 2);
}

TEST(CodecC, VerifyNamesWrongParity) {
  Stripe stripe("xrs(6,3)");
  unsigned wrong[3];
  std::size_t wrong_count = 9;
  const auto verify = [&](std::size_t count, std::size_t capacity) {
    const auto chunks = Stripe::inputs(stripe.chunks);
    return parapet_code_verify(stripe.code.get(), chunks.data(), count, wrong, capacity, &wrong_count, nullptr);
  };
  EXPECT_EQ(verify(9, 3), PARAPET_OK);
  EXPECT_EQ(wrong_count, 0u);
  stripe.chunks[6][5] ^= 1;
  stripe.chunks[8][500] ^= 1;
  EXPECT_EQ(verify(9, 3), PARAPET_OK);
  ASSERT_EQ(wrong_count, 2u);
  EXPECT_EQ(wrong[0], 6u);
  EXPECT_EQ(wrong[1], 8u);
  EXPECT_EQ(verify(9, 2), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(verify(8, 3), PARAPET_INVALID_ARGUMENT);
}

TEST(CodecC, ReconstructRestoresLostChunks) {
  for (const char* text : {"rs(4,2)", "xrs(6,3)"}) {
    const Stripe stripe(text);
    auto chunks = Stripe::inputs(stripe.chunks);
    std::vector<Bytes> restored(stripe.m, Bytes(stripe.chunks[0].size()));
    std::vector<parapet_indexed_region> wanted;
    for (unsigned i = 0; i < stripe.m; ++i) {
      const unsigned index = 2 * i + 1;  // data and parity
      chunks[index] = {};
      wanted.push_back({index, writable(restored[i])});
    }
    parapet_error error;
    EXPECT_EQ(parapet_code_reconstruct(stripe.code.get(), chunks.data(), stripe.n, wanted.data(), stripe.m, &error),
              PARAPET_OK)
        << error.message;
    for (unsigned i = 0; i < stripe.m; ++i) EXPECT_EQ(restored[i], stripe.chunks[2 * i + 1]) << text;

    chunks[0] = {};
    const std::vector<Bytes> before = restored;
    EXPECT_EQ(parapet_code_reconstruct(stripe.code.get(), chunks.data(), stripe.n, wanted.data(), stripe.m, &error),
              PARAPET_TOO_MANY_LOSSES);
    EXPECT_EQ(error.code, PARAPET_TOO_MANY_LOSSES);
    EXPECT_EQ(restored, before);
  }
}

TEST(CodecC, ReconstructRefusesWrongWishes) {
  const Stripe stripe("rs(4,2)");
  auto chunks = Stripe::inputs(stripe.chunks);
  chunks[1] = {};
  Bytes first(512, 7), second(512, 7);
  const auto reconstruct = [&](std::vector<parapet_indexed_region> wanted) {
    return parapet_code_reconstruct(stripe.code.get(), chunks.data(), stripe.n, wanted.data(), wanted.size(), nullptr);
  };
  EXPECT_EQ(reconstruct({{0, writable(first)}}), PARAPET_INVALID_ARGUMENT);  // not missing
  EXPECT_EQ(reconstruct({{6, writable(first)}}), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(reconstruct({{1, writable(first)}, {1, writable(second)}}), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(reconstruct({{1, {nullptr, 512, 0, 0}}}), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(reconstruct({{1, {first.data(), 511, 0, 0}}}), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(first, Bytes(512, 7));
  EXPECT_EQ(second, Bytes(512, 7));
}

TEST(CodecC, UpdateAndApplyDeltaEqualEncodingAgain) {
  for (const char* text : {"rs(4,2)", "xrs(6,3)"}) {
    Stripe stripe(text);
    std::vector<Bytes> expected = stripe.chunks;
    for (std::size_t i = 100; i < 400; ++i) expected[2][i] = static_cast<std::uint8_t>(i);
    const Bytes before(stripe.chunks[2].begin() + 100, stripe.chunks[2].begin() + 400);
    const Bytes after(expected[2].begin() + 100, expected[2].begin() + 400);
    Bytes delta(300);
    for (std::size_t i = 0; i < 300; ++i) delta[i] = before[i] ^ after[i];
    stripe.encode(expected);

    std::vector<Bytes> updated = stripe.chunks;
    const auto parity = stripe.parity(updated);
    const auto* code = stripe.code.get();
    EXPECT_EQ(parapet_code_update(code, 2, 100, readable(before), readable(after), parity.data(), stripe.m, nullptr),
              PARAPET_OK);
    for (unsigned i = stripe.k; i < stripe.n; ++i) EXPECT_EQ(updated[i], expected[i]) << text << " parity " << i;
    EXPECT_EQ(parapet_code_apply_delta(code, 2, 100, readable(delta), parity.data(), stripe.m, nullptr), PARAPET_OK);
    for (unsigned i = stripe.k; i < stripe.n; ++i) EXPECT_EQ(updated[i], stripe.chunks[i]) << text << " parity " << i;
  }
}

TEST(CodecC, UpdateLeavesOutNullParity) {
  Stripe stripe("rs(4,2)");
  std::vector<Bytes> expected = stripe.chunks;
  const Bytes after(512, 9);
  expected[0] = after;
  stripe.encode(expected);
  std::vector<Bytes> updated = stripe.chunks;
  auto parity = stripe.parity(updated);
  parity[0] = {};
  EXPECT_EQ(parapet_code_update(stripe.code.get(), 0, 0, readable(stripe.chunks[0]), readable(after), parity.data(), 2,
                                nullptr),
            PARAPET_OK);
  EXPECT_EQ(updated[4], stripe.chunks[4]);
  EXPECT_EQ(updated[5], expected[5]);
}

TEST(CodecC, UpdateRefusesWrongRanges) {
  Stripe stripe("rs(4,2)");
  const std::vector<Bytes> before = stripe.chunks;
  const auto parity = stripe.parity(stripe.chunks);
  const Bytes part(100), shorter(99);
  const auto* code = stripe.code.get();
  const auto update = [&](unsigned index, std::size_t offset, const Bytes& after, std::size_t m) {
    return parapet_code_update(code, index, offset, readable(part), readable(after), parity.data(), m, nullptr);
  };
  EXPECT_EQ(update(4, 0, part, 2), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(update(0, 413, part, 2), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(update(0, ~std::size_t{0}, part, 2), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(update(0, 0, shorter, 2), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(update(0, 0, part, 1), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_apply_delta(code, 0, 413, readable(part), parity.data(), 2, nullptr),
            PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(stripe.chunks, before);
}

TEST(CodecC, ReplaceEqualsEncodingAgain) {
  for (const char* text : {"rs(4,2)", "xrs(6,3)"}) {
    Stripe stripe(text);
    std::vector<Bytes> expected = stripe.chunks;
    expected[0].assign(expected[0].size(), 0);
    expected[3].assign(expected[3].size(), 0);
    stripe.encode(expected);
    std::vector<Bytes> removed = stripe.chunks;
    const auto parity = stripe.parity(removed);
    const parapet_const_indexed_region deltas[] = {{3, readable(stripe.chunks[3])}, {0, readable(stripe.chunks[0])}};
    EXPECT_EQ(parapet_code_replace(stripe.code.get(), deltas, 2, parity.data(), stripe.m, nullptr), PARAPET_OK);
    for (unsigned i = stripe.k; i < stripe.n; ++i) EXPECT_EQ(removed[i], expected[i]) << text << " parity " << i;

    const parapet_const_indexed_region repeated[] = {deltas[0], deltas[0]};
    EXPECT_EQ(parapet_code_replace(stripe.code.get(), repeated, 2, parity.data(), stripe.m, nullptr),
              PARAPET_INVALID_ARGUMENT);
    EXPECT_EQ(parapet_code_replace(stripe.code.get(), nullptr, 2, parity.data(), stripe.m, nullptr),
              PARAPET_INVALID_ARGUMENT);
  }
}

TEST(CodecC, PlanRepairReadsLessAndOutlivesItsCode) {
  Stripe stripe("xrs(12,4)", 4096);
  const std::vector<unsigned> available = all_but(16, {5});
  const unsigned wanted[] = {5};
  parapet_plan* made = nullptr;
  parapet_error error;
  ASSERT_EQ(parapet_code_plan_repair(stripe.code.get(), available.data(), 15, wanted, 1, 4096, PARAPET_FEWEST_BYTES,
                                     &made, &error),
            PARAPET_OK)
      << error.message;
  const PlanHandle plan(made);
  stripe.code.reset();

  EXPECT_EQ(parapet_plan_cost(made).bytes, 8u * 4096);  // (d + |S|)/2 chunks with |S| = 4, where rs(12,4) reads 12
  std::size_t read_count = 0, output_count = 0;
  const parapet_chunk_range* reads = parapet_plan_reads(made, &read_count);
  std::size_t total = 0;
  for (std::size_t i = 0; i < read_count; ++i) total += reads[i].length;
  EXPECT_EQ(parapet_plan_cost(made).bytes, total);
  EXPECT_EQ(parapet_plan_cost(made).ranges, read_count);
  EXPECT_EQ(parapet_plan_cost(made).chunks, 13u);
  const parapet_chunk_range* outputs = parapet_plan_outputs(made, &output_count);
  ASSERT_EQ(output_count, 1u);
  EXPECT_EQ(outputs[0].chunk, 5u);
  EXPECT_EQ(outputs[0].offset, 0u);
  EXPECT_EQ(outputs[0].length, 4096u);
  EXPECT_EQ(run(made, stripe.chunks)[0], stripe.chunks[5]);
}

TEST(CodecC, PlanReadGivesOneRange) {
  const Stripe stripe("rs(4,2)", 4096);
  const std::vector<unsigned> available = all_but(6, {0, 3});
  parapet_plan* made = nullptr;
  ASSERT_EQ(parapet_code_plan_read(stripe.code.get(), available.data(), 4, {3, 1000, 50}, 4096, PARAPET_FEWEST_BYTES,
                                   &made, nullptr),
            PARAPET_OK);
  const PlanHandle plan(made);
  EXPECT_EQ(parapet_plan_cost(made).bytes, 4u * 50);
  EXPECT_EQ(run(made, stripe.chunks)[0], Bytes(stripe.chunks[3].begin() + 1000, stripe.chunks[3].begin() + 1050));
}

TEST(CodecC, PlansRefuseTheImpossible) {
  const CodeHandle code = parse("rs(4,2)");
  const unsigned three[] = {0, 1, 2}, four[] = {0, 1, 2, 4}, lost[] = {3}, outside[] = {6}, repeated[] = {3, 3};
  parapet_plan* plan = nullptr;
  const auto repair = [&](const unsigned* available, std::size_t count, const unsigned* wanted,
                          std::size_t wanted_count, std::size_t size) {
    return parapet_code_plan_repair(code.get(), available, count, wanted, wanted_count, size, 0, &plan, nullptr);
  };
  EXPECT_EQ(repair(three, 3, lost, 1, 4096), PARAPET_TOO_MANY_LOSSES);
  EXPECT_EQ(repair(four, 4, outside, 1, 4096), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(repair(four, 4, repeated, 2, 4096), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(repair(four, 4, four, 1, 4096), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(repair(four, 4, nullptr, 1, 4096), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(repair(four, 4, lost, 1, 0), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_code_plan_repair(code.get(), four, 4, lost, 1, 4096, 0, nullptr, nullptr),
            PARAPET_INVALID_ARGUMENT);
  const auto read = [&](parapet_chunk_range range) {
    return parapet_code_plan_read(code.get(), four, 4, range, 4096, 0, &plan, nullptr);
  };
  EXPECT_EQ(read({3, 0, 0}), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(read({3, 4000, 97}), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(read({6, 0, 1}), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(plan, nullptr);
}

TEST(CodecC, PlansGoByBytesOrByChunks) {
  const Stripe stripe("xrs(12,4)", 4096);
  const std::vector<unsigned> available = all_but(16, {5});
  const unsigned wanted[] = {5};
  const auto repair = [&](int goal) {
    parapet_plan* made = nullptr;
    EXPECT_EQ(parapet_code_plan_repair(stripe.code.get(), available.data(), 15, wanted, 1, 4096, goal, &made, nullptr),
              PARAPET_OK);
    return PlanHandle(made);
  };
  const auto read = [&](int goal) {
    parapet_plan* made = nullptr;
    EXPECT_EQ(parapet_code_plan_read(stripe.code.get(), available.data(), 15, {5, 0, 4096}, 4096, goal, &made, nullptr),
              PARAPET_OK);
    return PlanHandle(made);
  };
  for (const PlanHandle& plan : {repair(PARAPET_FEWEST_BYTES), read(PARAPET_FEWEST_BYTES)}) {
    EXPECT_EQ(parapet_plan_cost(plan.get()).bytes, 8u * 4096);
    EXPECT_EQ(parapet_plan_cost(plan.get()).chunks, 13u);
  }
  for (const PlanHandle& plan : {repair(PARAPET_FEWEST_CHUNKS), read(PARAPET_FEWEST_CHUNKS)}) {
    EXPECT_EQ(parapet_plan_cost(plan.get()).bytes, 12u * 4096);
    EXPECT_EQ(parapet_plan_cost(plan.get()).chunks, 12u);
    EXPECT_EQ(run(plan.get(), stripe.chunks)[0], stripe.chunks[5]);
  }
  for (const int goal : {-1, 2}) {
    parapet_plan* plan = nullptr;
    parapet_error error;
    EXPECT_EQ(parapet_code_plan_repair(stripe.code.get(), available.data(), 15, wanted, 1, 4096, goal, &plan, &error),
              PARAPET_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, "plan_repair: unknown goal of a repair");
    EXPECT_EQ(parapet_code_plan_read(stripe.code.get(), available.data(), 15, {5, 0, 1}, 4096, goal, &plan, &error),
              PARAPET_INVALID_ARGUMENT);
    EXPECT_EQ(plan, nullptr);
  }
}

TEST(CodecC, PlanRunRefusesWrongShapes) {
  const Stripe stripe("rs(4,2)");
  const std::vector<unsigned> available = all_but(6, {1});
  const unsigned wanted[] = {1};
  parapet_plan* made = nullptr;
  ASSERT_EQ(parapet_code_plan_repair(stripe.code.get(), available.data(), 5, wanted, 1, 512, 0, &made, nullptr),
            PARAPET_OK);
  const PlanHandle plan(made);
  std::size_t read_count = 0;
  const parapet_chunk_range* reads = parapet_plan_reads(made, &read_count);
  std::vector<parapet_const_region> inputs;
  for (std::size_t i = 0; i < read_count; ++i) inputs.push_back(readable(stripe.chunks[reads[i].chunk]));
  Bytes result(512, 7);
  const parapet_region output = writable(result), smaller = {result.data(), 511, 0, 0};
  const auto run_with = [&](std::size_t input_count, const parapet_region* outputs, std::size_t output_count) {
    return parapet_plan_run(made, inputs.data(), input_count, outputs, output_count, nullptr);
  };
  EXPECT_EQ(run_with(read_count - 1, &output, 1), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(run_with(read_count + 1, &output, 1), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(run_with(read_count, &output, 0), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(run_with(read_count, &smaller, 1), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(run_with(read_count, nullptr, 1), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(result, Bytes(512, 7));
}

TEST(CodecC, FamiliesAreThoseOfTheCppApi) {
  std::size_t count = 0;
  const char* const* names = parapet_families(&count);
  ASSERT_EQ(count, Code::families().size());
  ASSERT_GT(count, 0u);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(names[i], Code::families()[i]);
}

TEST(CodecC, ActiveIsaIsThatOfTheCppApi) {
  const char* name = nullptr;
  ASSERT_EQ(parapet_active_isa(&name, nullptr), PARAPET_OK);
  EXPECT_EQ(name, active_isa().value());
}

TEST(CodecC, ExceptionsBecomeOutOfMemory) {
  parapet_error error;
  EXPECT_EQ(guarded(&error, []() -> Result<void> { throw std::bad_alloc(); }), PARAPET_OUT_OF_MEMORY);
  EXPECT_EQ(error.code, PARAPET_OUT_OF_MEMORY);
  EXPECT_STREQ(error.message, "out of memory");
  EXPECT_EQ(guarded(nullptr, []() -> Result<void> { throw std::length_error(""); }), PARAPET_OUT_OF_MEMORY);
}

TEST(CodecC, LongMessagesAreCut) {
  static const std::string reason(1000, 'x');
  parapet_error error;
  guarded(&error, []() -> Result<void> { return Error{ErrorCode::io_failed, "test", reason.c_str(), {}, 5}; });
  EXPECT_EQ(error.code, PARAPET_IO_FAILED);
  EXPECT_EQ(error.os_errno, 5);
  EXPECT_EQ(std::strlen(error.message), sizeof error.message - 1);
}

}  // namespace
}  // namespace parapet::codec
