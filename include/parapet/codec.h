// The erasure codec: codes, and plans that repair.
//
// A code is a linear map from k data chunks to m parity chunks. Chunk indices: 0..k-1 are data, k..n-1 parity, n = k+m.
// All chunks of one call have the same size, a positive multiple of `chunk_size_multiple()`.
//
// Rules for every function here:
//  * Buffers belong to the caller, may have any alignment, and are used only during the call.
//  * Inputs are `ConstRegion`s and never change. Outputs must not overlap inputs or each other (not checked).
//  * A wrong shape (count, size, index, null, repeated index) gives `invalid_argument`; device memory `unsupported`;
//    both before any byte is written. No call leaves an output half-written: after an error, outputs are as before.
//  * `Code` and `Plan` are immutable handles, cheap to copy, and may be used by any number of threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parapet/chunk_set.h"
#include "parapet/error.h"
#include "parapet/export.h"
#include "parapet/region.h"
#include "parapet/result.h"

namespace parapet {

namespace codec {
class CodeImpl;
class PlanImpl;
}  // namespace codec

/// A chunk to be read, by index. For `Code::replace`.
struct ConstIndexedRegion {
  unsigned index = 0;
  ConstRegion region;
};

/// A chunk to be written, by index. For `Code::reconstruct`.
struct IndexedRegion {
  unsigned index = 0;
  Region region;
};

/// Bytes [offset, offset + length) of chunk `chunk`.
struct ChunkRange {
  unsigned chunk = 0;
  std::size_t offset = 0;
  std::size_t length = 0;
  friend bool operator==(const ChunkRange&, const ChunkRange&) = default;
};

/// What a repair should spend least of.
enum class RepairGoal : std::uint8_t {
  fewest_bytes,   ///< Bytes read; of equal plans the one that reads from fewer chunks.
  fewest_chunks,  ///< Chunks, hence devices, read from; of equal plans the one that reads fewer bytes.
};

/// What the reads of a plan cost.
struct PlanCost {
  std::size_t bytes = 0;
  std::size_t ranges = 0;  ///< Reads, each of contiguous bytes of one chunk.
  std::size_t chunks = 0;  ///< Chunks, hence devices, that are read from.
  friend bool operator==(const PlanCost&, const PlanCost&) = default;
};

/// What a repair reads, and the program that turns it into the wanted bytes.
/// Use: read every range of `reads()` from its chunk, then `run`.
class PARAPET_EXPORT Plan {
 public:
  /// The ranges to read, ascending by chunk and offset; no two of a chunk touch.
  [[nodiscard]] std::span<const ChunkRange> reads() const;
  [[nodiscard]] std::size_t bytes_read() const { return cost().bytes; }
  [[nodiscard]] ChunkSet chunks_read() const;
  [[nodiscard]] PlanCost cost() const;
  /// The ranges that `run` writes, ascending by chunk.
  [[nodiscard]] std::span<const ChunkRange> outputs() const;

  /// inputs[i] holds the bytes of reads()[i]; outputs[i] receives the bytes of outputs()[i]; sizes must match.
  Result<void> run(std::span<const ConstRegion> inputs, std::span<const Region> outputs) const;

 private:
  friend class Code;
  explicit Plan(std::shared_ptr<const codec::PlanImpl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const codec::PlanImpl> impl_;
};

/// An erasure code. Made from text (`parse`); remembers decode programs per erasure pattern in a bounded cache that
/// all copies of the handle share.
class PARAPET_EXPORT Code {
 public:
  /// Makes a code from its text, e.g. "rs(12,4)", "xrs(10,4)", "lrc(12,2,2)", "cauchy_good(10,4,packetsize=2048)";
  /// blanks are ignored. docs/codes has a page for each family: its parameters, its construction with the source, and
  /// whose bytes it writes. Parameters with which some losses of m chunks cannot be decoded are refused, or with
  /// unsafe=yes taken with the tolerance that they leave.
  /// Errors: `invalid_argument` for a wrong name or parameters (says which rule); `unsupported` when PARAPET_ISA
  /// names an instruction set that is unknown or that this machine lacks.
  static Result<Code> parse(std::string_view text);
  /// The names of all families with their parameters, one per entry, for help texts.
  static std::span<const std::string_view> families();

  /// The canonical text: `parse(text())` makes the same code.
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] unsigned k() const;
  [[nodiscard]] unsigned m() const;
  [[nodiscard]] unsigned n() const { return k() + m(); }
  /// Sub-chunks per chunk: a repair may read some sub-chunks of a chunk and not others.
  [[nodiscard]] unsigned alpha() const;
  /// The number of losses that every pattern of is decodable (distance minus one); m for MDS codes, less for lrc.
  [[nodiscard]] unsigned tolerance() const;
  /// Chunk sizes must be a positive multiple of this.
  [[nodiscard]] std::size_t chunk_size_multiple() const;
  /// 0: each sub-chunk is one contiguous part of its chunk, chunk size / alpha() bytes. Else a chunk is a sequence of
  /// packets of this size that go round the sub-chunks: packet p belongs to sub-chunk p mod alpha().
  [[nodiscard]] std::size_t packet_size() const;
  /// Whether the chunks in `available` determine all others.
  [[nodiscard]] bool decodable(const ChunkSet& available) const;

  /// The chunks whose bytes change with those of data chunk `index`: the parity chunks that depend on it. Empty for an
  /// index that is no data chunk.
  [[nodiscard]] ChunkSet parities_of(unsigned index) const;

  /// data: k chunks; parity: m chunks, overwritten.
  Result<void> encode(std::span<const ConstRegion> data, std::span<const Region> parity) const;

  /// chunks: all n. Returns the parity chunks that disagree with the data; empty when all is well.
  Result<ChunkSet> verify(std::span<const ConstRegion> chunks) const;

  /// chunks: n entries, null (data == nullptr) for a missing one. Writes each chunk of `wanted`, all of which must be
  /// missing in `chunks`; other missing chunks stay missing. Reads no more than the cheapest plan needs.
  /// Errors: `too_many_losses`.
  Result<void> reconstruct(std::span<const ConstRegion> chunks, std::span<const IndexedRegion> wanted) const;

  /// Brings parity up to date after bytes [offset, offset + before.size) of data chunk `index` changed from `before`
  /// to `after`. parity: m whole chunks; a null entry is left out (its holder is elsewhere).
  Result<void> update(unsigned index, std::size_t offset, ConstRegion before, ConstRegion after,
                      std::span<const Region> parity) const;

  /// As `update`, from delta = before XOR after.
  Result<void> apply_delta(unsigned index, std::size_t offset, ConstRegion delta, std::span<const Region> parity) const;

  /// Adds whole data chunks to parity: after it, parity is that of data in which each listed chunk was XORed with its
  /// region. So it fills chunks that were zero, or with the old contents removes them. Indices must be distinct.
  Result<void> replace(std::span<const ConstIndexedRegion> deltas, std::span<const Region> parity) const;

  /// The cheapest plan known that makes whole chunks `wanted` from some of `available` (disjoint from `wanted`). Leave
  /// a chunk out of `available` that is there but slow, and the plan is the cheapest one without it. Errors:
  /// `too_many_losses`.
  Result<Plan> plan_repair(const ChunkSet& available, const ChunkSet& wanted, std::size_t chunk_size,
                           RepairGoal goal = RepairGoal::fewest_bytes) const;

  /// The same for the bytes of one range, which must not be empty: a degraded read reads what that range needs.
  Result<Plan> plan_read(const ChunkSet& available, const ChunkRange& range, std::size_t chunk_size,
                         RepairGoal goal = RepairGoal::fewest_bytes) const;

 private:
  explicit Code(std::shared_ptr<const codec::CodeImpl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const codec::CodeImpl> impl_;
};

/// The instruction set that the kernels of this process use, e.g. "avx512-gfni". The best that the machine has, or the
/// one that the environment variable PARAPET_ISA names.
PARAPET_EXPORT Result<std::string_view> active_isa();

}  // namespace parapet
