// For tests: what every code must compute, slowly and by definition. Shares no line with the codec or the field.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codec/oracle/definition.h"
#include "parapet/chunk_set.h"

namespace parapet::codec {

/// A code by its definition. Decoding follows from encoding alone: the generator is what encoding does to unit vectors,
/// and unknown data are found by Gaussian elimination over all sub-chunks at once.
class Oracle {
 public:
  /// The text of a code, without blanks and right.
  explicit Oracle(const std::string& text);

  [[nodiscard]] unsigned k() const { return definition_.k; }
  [[nodiscard]] unsigned m() const { return definition_.m; }
  [[nodiscard]] unsigned n() const { return k() + m(); }
  [[nodiscard]] unsigned alpha() const { return definition_.alpha; }
  /// Chunk sizes are multiples of this.
  [[nodiscard]] std::size_t chunk_size_multiple() const;
  /// Consecutive bytes of one sub-chunk.
  [[nodiscard]] std::size_t packet_size(std::size_t chunk_size) const;
  /// Whether the family promises that every loss of m chunks is decodable.
  [[nodiscard]] bool is_mds() const { return definition_.is_mds; }
  /// m * alpha rows by k * alpha columns: each parity sub-chunk from the data sub-chunks.
  [[nodiscard]] const std::vector<Bytes>& generator() const { return generator_; }

  /// All n chunks, from k data chunks of one size.
  [[nodiscard]] std::vector<Bytes> encode(const std::vector<Bytes>& data) const;

  /// All n chunks, from those of `chunks` that are in `available`; nothing when they do not determine the rest.
  [[nodiscard]] std::optional<std::vector<Bytes>> decode(const std::vector<Bytes>& chunks,
                                                         const ChunkSet& available) const;
  [[nodiscard]] bool decodable(const ChunkSet& available) const;
  /// Whether `available` determines sub-chunk `sub` of `chunk`, and all of it; it may even where not all is decodable.
  [[nodiscard]] bool determines(const ChunkSet& available, unsigned chunk, unsigned sub) const;
  [[nodiscard]] bool determines(const ChunkSet& available, unsigned chunk) const;

 private:
  [[nodiscard]] Bytes row(unsigned chunk, unsigned sub) const;
  [[nodiscard]] bool spans(const ChunkSet& available, const std::vector<Bytes>& rows) const;
  [[nodiscard]] oracle::Column cut(const Bytes& chunk) const;
  [[nodiscard]] Bytes join(const oracle::Column& column) const;
  [[nodiscard]] std::vector<Bytes> equations(const ChunkSet& available) const;

  oracle::Definition definition_;
  std::vector<Bytes> generator_;
};

}  // namespace parapet::codec
