// The public handles: check, then compute.
#include <algorithm>
#include <cstring>

#include "base/aligned_buffer.h"
#include "base/stack_array.h"
#include "base/try.h"
#include "codec/code_impl.h"
#include "codec/code_text.h"
#include "codec/families.h"
#include "codec/plan_impl.h"
#include "codec/shape_check.h"
#include "parapet/codec.h"

namespace parapet {

namespace {

using codec::Shape;
using codec::SubChunk;

// 256 chunks of two sub-chunks need no heap.
constexpr std::size_t sub_chunk_count_inline = 512;
using Inputs = base::StackArray<const std::uint8_t*, sub_chunk_count_inline>;
using Outputs = base::StackArray<std::uint8_t*, sub_chunk_count_inline>;

/// Runs a recipe on whole chunks: source(i) and target(i) are where chunk i begins.
template <class SourceOf, class TargetOf>
void run_recipe(const codec::Recipe& recipe, const codec::Packets& packets, SourceOf source, TargetOf target) {
  Inputs inputs(recipe.reads.size());
  Outputs outputs(recipe.outputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = source(recipe.reads[i].chunk) + recipe.reads[i].sub * packets.size();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = target(recipe.outputs[i].chunk) + recipe.outputs[i].sub * packets.size();
  for (std::size_t round = 0;;) {
    recipe.program.run(inputs.data(), outputs.data(), packets.size());
    if (++round == packets.round_count()) return;
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] += packets.round_size();
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] += packets.round_size();
  }
}

// Verification computes parity in pieces that stay in cache.
constexpr std::size_t verify_piece_bytes = 4096;

}  // namespace

Result<Code> Code::parse(std::string_view text) {
  PARAPET_TRY(const gf::Kernels* const kernels, gf::active_kernels());
  PARAPET_TRY(const codec::CodeText parsed, codec::parse_code_text(text));
  for (const codec::Family& family : codec::families()) {
    if (family.name != parsed.name) continue;
    PARAPET_TRY(auto impl, family.make(parsed, *kernels));
    return Code(std::move(impl));
  }
  // An error's reason has static storage.
  static const std::string reason = [] {
    std::string names;
    for (const codec::Family& family : codec::families()) names.append(names.empty() ? "" : ", ").append(family.name);
    return "unknown family; known: " + names;
  }();
  return Error{ErrorCode::invalid_argument, "code", reason.c_str()};
}

std::span<const std::string_view> Code::families() {
  static const std::vector<std::string_view> usages = [] {
    std::vector<std::string_view> list;
    for (const codec::Family& family : codec::families()) list.push_back(family.usage);
    return list;
  }();
  return usages;
}

const std::string& Code::text() const { return impl_->text(); }
unsigned Code::k() const { return impl_->shape().k; }
unsigned Code::m() const { return impl_->shape().m; }
unsigned Code::alpha() const { return impl_->shape().alpha; }
unsigned Code::tolerance() const { return impl_->shape().tolerance; }
std::size_t Code::chunk_size_multiple() const { return impl_->shape().chunk_size_multiple(); }
std::size_t Code::packet_size() const { return impl_->shape().packet_size; }
bool Code::decodable(const ChunkSet& available) const { return impl_->decodable(available); }

ChunkSet Code::parities_of(unsigned index) const {
  ChunkSet parities;
  if (index >= k()) return parities;
  for (const std::uint32_t row : impl_->deltas().parities_of(index)) parities.insert(k() + row);
  return parities;
}

Result<void> Code::encode(std::span<const ConstRegion> data, std::span<const Region> parity) const {
  const Shape& shape = impl_->shape();
  PARAPET_TRY(const std::size_t chunk_size, codec::check_chunks(shape, "encode", data, shape.k, parity, shape.m));
  run_recipe(
      impl_->encoder(), codec::Packets(shape, chunk_size), [&](std::uint32_t chunk) { return data[chunk].data; },
      [&](std::uint32_t chunk) { return parity[chunk - shape.k].data; });
  return {};
}

Result<ChunkSet> Code::verify(std::span<const ConstRegion> chunks) const {
  const Shape& shape = impl_->shape();
  PARAPET_TRY(const std::size_t chunk_size, codec::check_chunks(shape, "verify", chunks, shape.n(), {}, 0));
  const codec::Packets packets(shape, chunk_size);
  const codec::Recipe& encoder = impl_->encoder();
  const std::size_t piece_max = std::min(verify_piece_bytes, packets.size());
  const base::AlignedBuffer expected(encoder.outputs.size() * piece_max);
  Inputs inputs(encoder.reads.size());
  Outputs outputs(encoder.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = expected.data() + i * piece_max;
  ChunkSet mismatched;
  const auto verify_piece = [&](std::size_t round, std::size_t begin) {
    const auto stored = [&](const SubChunk& sub_chunk) {
      return chunks[sub_chunk.chunk].data + packets.offset(round, sub_chunk.sub) + begin;
    };
    const std::size_t length = std::min(piece_max, packets.size() - begin);
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = stored(encoder.reads[i]);
    encoder.program.run(inputs.data(), outputs.data(), length);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (std::memcmp(outputs[i], stored(encoder.outputs[i]), length) != 0) mismatched.insert(encoder.outputs[i].chunk);
  };
  for (std::size_t round = 0; round < packets.round_count(); ++round)
    for (std::size_t begin = 0; begin < packets.size(); begin += piece_max) verify_piece(round, begin);
  return mismatched;
}

Result<void> Code::reconstruct(std::span<const ConstRegion> chunks, std::span<const IndexedRegion> wanted) const {
  const Shape& shape = impl_->shape();
  PARAPET_TRY(const std::size_t chunk_size, codec::check_some_chunks(shape, "reconstruct", chunks));
  ChunkSet available, wanted_set;
  base::StackArray<std::uint8_t*, chunk_count_max> target(shape.n());
  for (unsigned i = 0; i < shape.n(); ++i)
    if (chunks[i].data != nullptr) available.insert(i);
  for (const IndexedRegion& output : wanted) {
    PARAPET_CHECK(codec::check_new_index("reconstruct", output.index, shape.n(), wanted_set));
    if (available.contains(output.index))
      return Error{ErrorCode::invalid_argument, "reconstruct", "chunk {} is both given and wanted", {output.index}};
    PARAPET_CHECK(codec::check_region("reconstruct", output.region, chunk_size, output.index));
    target[output.index] = output.region.data;
  }
  if (wanted.empty()) return {};

  PARAPET_TRY(const auto recipe, impl_->recipe({available, wanted_set, {0, shape.alpha}}));
  run_recipe(
      *recipe, codec::Packets(shape, chunk_size), [&](std::uint32_t chunk) { return chunks[chunk].data; },
      [&](std::uint32_t chunk) { return target[chunk]; });
  return {};
}

namespace {

/// The common part of `update` and `apply_delta`; `after` null stands for zeros.
Result<void> add_difference(const codec::CodeImpl& code, const char* operation, unsigned index, std::size_t offset,
                            ConstRegion before, const std::uint8_t* after, std::span<const Region> parity) {
  const Shape& shape = code.shape();
  PARAPET_TRY(const std::size_t chunk_size, codec::check_some_parity(shape, operation, parity));
  PARAPET_CHECK(codec::check_region(operation, before, before.size, index));
  if (index >= shape.k)
    return Error{ErrorCode::invalid_argument, operation, "index {} is no data chunk; there are {}", {index, shape.k}};
  if (offset > chunk_size || before.size > chunk_size - offset)
    return Error{ErrorCode::invalid_argument,
                 operation,
                 "{} bytes at offset {} reach beyond the chunk's {}",
                 {before.size, offset, chunk_size}};
  const codec::Packets packets(shape, chunk_size);
  for (std::size_t done = 0; done < before.size;) {
    const std::size_t round = (offset + done) / packets.round_size();
    const std::size_t in_round = (offset + done) % packets.round_size();
    const std::size_t sub = in_round / packets.size();
    const std::size_t in_packet = in_round % packets.size();
    const std::size_t length = std::min(before.size - done, packets.size() - in_packet);
    code.deltas().add_difference(index * shape.alpha + sub, round, in_packet, before.data + done,
                                 after == nullptr ? nullptr : after + done, length, parity, packets);
    done += length;
  }
  return {};
}

}  // namespace

Result<void> Code::update(unsigned index, std::size_t offset, ConstRegion before, ConstRegion after,
                          std::span<const Region> parity) const {
  PARAPET_CHECK(codec::check_region("update", after, before.size, index));
  return add_difference(*impl_, "update", index, offset, before, after.data, parity);
}

Result<void> Code::apply_delta(unsigned index, std::size_t offset, ConstRegion delta,
                               std::span<const Region> parity) const {
  return add_difference(*impl_, "apply_delta", index, offset, delta, nullptr, parity);
}

Result<void> Code::replace(std::span<const ConstIndexedRegion> deltas, std::span<const Region> parity) const {
  const Shape& shape = impl_->shape();
  PARAPET_TRY(const std::size_t chunk_size, codec::check_some_parity(shape, "replace", parity));
  ChunkSet seen;
  for (const ConstIndexedRegion& delta : deltas) {
    PARAPET_CHECK(codec::check_new_index("replace", delta.index, shape.k, seen));
    PARAPET_CHECK(codec::check_region("replace", delta.region, chunk_size, delta.index));
  }
  const codec::Packets packets(shape, chunk_size);
  base::StackArray<std::uint32_t, chunk_count_max> columns(deltas.size());
  Inputs sources(deltas.size());
  for (std::size_t round = 0; round < packets.round_count(); ++round)
    for (unsigned sub = 0; sub < shape.alpha; ++sub) {
      for (std::size_t j = 0; j < deltas.size(); ++j) {
        columns[j] = deltas[j].index * shape.alpha + sub;
        sources[j] = deltas[j].region.data + packets.offset(round, sub);
      }
      impl_->deltas().add_columns(columns.first(deltas.size()), round, sources.data(), parity, packets);
    }
  return {};
}

namespace {

Result<void> check_plan_sets(const Shape& shape, const ChunkSet& available, const ChunkSet& wanted,
                             std::size_t chunk_size) {
  PARAPET_CHECK(codec::check_chunk_size(shape, "plan", chunk_size, 0));
  if (wanted.empty()) return Error{ErrorCode::invalid_argument, "plan", "no chunk is wanted"};
  const ChunkSet outside = (available | wanted) - ChunkSet::range(0, shape.n());
  if (!outside.empty())
    return Error{
        ErrorCode::invalid_argument, "plan", "index {} is out of range; there are {}", {*outside.begin(), shape.n()}};
  const ChunkSet both = available & wanted;
  if (!both.empty())
    return Error{ErrorCode::invalid_argument, "plan", "chunk {} is both available and wanted", {*both.begin()}};
  return {};
}

}  // namespace

Result<Plan> Code::plan_repair(const ChunkSet& available, const ChunkSet& wanted, std::size_t chunk_size,
                               RepairGoal goal) const {
  PARAPET_CHECK(check_plan_sets(impl_->shape(), available, wanted, chunk_size));
  PARAPET_TRY(auto plan, codec::make_plan(*impl_, available, wanted, 0, chunk_size, chunk_size, goal));
  return Plan(std::move(plan));
}

Result<Plan> Code::plan_read(const ChunkSet& available, const ChunkRange& range, std::size_t chunk_size,
                             RepairGoal goal) const {
  if (range.chunk >= impl_->shape().n())
    return Error{ErrorCode::invalid_argument,
                 "plan",
                 "index {} is out of range; there are {}",
                 {range.chunk, impl_->shape().n()}};
  const ChunkSet wanted{range.chunk};
  PARAPET_CHECK(check_plan_sets(impl_->shape(), available, wanted, chunk_size));
  if (range.length == 0) return Error{ErrorCode::invalid_argument, "plan", "the range is empty"};
  if (range.offset > chunk_size || range.length > chunk_size - range.offset)
    return Error{ErrorCode::invalid_argument,
                 "plan",
                 "{} bytes at offset {} reach beyond the chunk's {}",
                 {range.length, range.offset, chunk_size}};
  PARAPET_TRY(auto plan, codec::make_plan(*impl_, available, wanted, range.offset, range.length, chunk_size, goal));
  return Plan(std::move(plan));
}

std::span<const ChunkRange> Plan::reads() const { return impl_->reads; }
std::span<const ChunkRange> Plan::outputs() const { return impl_->outputs; }

ChunkSet Plan::chunks_read() const {
  ChunkSet chunks;
  for (const ChunkRange& range : impl_->reads) chunks.insert(range.chunk);
  return chunks;
}

PlanCost Plan::cost() const {
  PlanCost cost{0, impl_->reads.size(), chunks_read().count()};
  for (const ChunkRange& range : impl_->reads) cost.bytes += range.length;
  return cost;
}

Result<void> Plan::run(std::span<const ConstRegion> inputs, std::span<const Region> outputs) const {
  if (inputs.size() != impl_->reads.size())
    return Error{ErrorCode::invalid_argument,
                 "plan",
                 "{} inputs were given, {} are wanted",
                 {inputs.size(), impl_->reads.size()}};
  if (outputs.size() != impl_->outputs.size())
    return Error{ErrorCode::invalid_argument,
                 "plan",
                 "{} outputs were given, {} are wanted",
                 {outputs.size(), impl_->outputs.size()}};
  for (std::size_t i = 0; i < inputs.size(); ++i)
    PARAPET_CHECK(codec::check_region("plan", inputs[i], impl_->reads[i].length, i));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    PARAPET_CHECK(codec::check_region("plan", outputs[i], impl_->outputs[i].length, i));
  for (const codec::PlanPiece& piece : impl_->pieces) {
    Inputs sources(piece.inputs.size());
    Outputs targets(piece.outputs.size());
    for (std::size_t i = 0; i < sources.size(); ++i)
      sources[i] = inputs[piece.inputs[i].range].data + piece.inputs[i].offset;
    for (std::size_t i = 0; i < targets.size(); ++i)
      targets[i] = outputs[piece.outputs[i].range].data + piece.outputs[i].offset;
    piece.recipe->program.run(sources.data(), targets.data(), piece.length);
  }
  return {};
}

Result<std::string_view> active_isa() {
  PARAPET_TRY(const gf::Kernels* const kernels, gf::active_kernels());
  return std::string_view(kernels->name);
}

}  // namespace parapet
