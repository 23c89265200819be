#include "codec/oracle/oracle.h"

namespace parapet::codec {

namespace {

/// Encodes all unit vectors at once: byte c of data sub-chunk c is one.
std::vector<Bytes> generator_of(const oracle::Definition& definition) {
  const std::size_t column_count = std::size_t{definition.k} * definition.alpha;
  oracle::Columns units(definition.k, oracle::Column(definition.alpha, Bytes(column_count)));
  for (std::size_t c = 0; c < column_count; ++c) units[c / definition.alpha][c % definition.alpha][c] = 1;
  std::vector<Bytes> rows;
  for (const oracle::Column& parity : definition.encode(units)) rows.insert(rows.end(), parity.begin(), parity.end());
  return rows;
}

ChunkSet missing_data(unsigned k, const ChunkSet& available) { return ChunkSet::range(0, k) - available; }

}  // namespace

Oracle::Oracle(const std::string& text) : definition_(oracle::define(text)), generator_(generator_of(definition_)) {}

std::size_t Oracle::chunk_size_multiple() const {
  return alpha() * (definition_.packet_size == 0 ? 1 : definition_.packet_size);
}

std::size_t Oracle::packet_size(std::size_t chunk_size) const {
  return definition_.packet_size == 0 ? chunk_size / alpha() : definition_.packet_size;
}

/// Packets are dealt out to the sub-chunks one by one.
oracle::Column Oracle::cut(const Bytes& chunk) const {
  const auto size = static_cast<std::ptrdiff_t>(packet_size(chunk.size()));
  oracle::Column column(alpha());
  unsigned packet = 0;
  for (auto at = chunk.begin(); at != chunk.end(); at += size, ++packet) {
    Bytes& sub = column[packet % alpha()];
    sub.insert(sub.end(), at, at + size);
  }
  return column;
}

Bytes Oracle::join(const oracle::Column& column) const {
  const std::size_t size = packet_size(alpha() * column[0].size());
  Bytes chunk;
  for (std::size_t at = 0; at < column[0].size(); at += size)
    for (const Bytes& sub : column) {
      const auto from = sub.begin() + static_cast<std::ptrdiff_t>(at);
      chunk.insert(chunk.end(), from, from + static_cast<std::ptrdiff_t>(size));
    }
  return chunk;
}

std::vector<Bytes> Oracle::encode(const std::vector<Bytes>& data) const {
  oracle::Columns columns;
  for (const Bytes& chunk : data) columns.push_back(cut(chunk));
  std::vector<Bytes> chunks = data;
  for (const oracle::Column& parity : definition_.encode(columns)) chunks.push_back(join(parity));
  return chunks;
}

/// What each available parity sub-chunk has of the missing data.
std::vector<Bytes> Oracle::equations(const ChunkSet& available) const {
  std::vector<Bytes> rows;
  for (unsigned parity = 0; parity < m(); ++parity)
    for (unsigned sub = 0; sub < alpha() && available.contains(k() + parity); ++sub) {
      rows.emplace_back();
      for (const unsigned chunk : missing_data(k(), available)) {
        const auto from = generator_[parity * alpha() + sub].begin() + chunk * alpha();
        rows.back().insert(rows.back().end(), from, from + alpha());
      }
    }
  return rows;
}

std::optional<std::vector<Bytes>> Oracle::decode(const std::vector<Bytes>& chunks, const ChunkSet& available) const {
  const ChunkSet missing = missing_data(k(), available);
  std::vector<Bytes> data(chunks.begin(), chunks.begin() + k());
  for (const unsigned chunk : missing) data[chunk] = Bytes(chunks[*available.begin()].size());
  const auto known_part = encode(data);  // of the parity
  auto rows = equations(available);
  std::size_t row = 0;
  for (unsigned parity = k(); parity < n(); ++parity) {
    if (!available.contains(parity)) continue;
    Bytes unknown_part = chunks[parity];
    oracle::add(unknown_part, known_part[parity]);
    for (const Bytes& bytes : cut(unknown_part)) {
      rows[row].insert(rows[row].end(), bytes.begin(), bytes.end());
      ++row;
    }
  }
  const std::size_t unknown_count = std::size_t{missing.count()} * alpha();
  if (!oracle::eliminate(rows, unknown_count)) return std::nullopt;
  row = 0;
  for (const unsigned chunk : missing) {
    oracle::Column column;
    for (unsigned sub = 0; sub < alpha(); ++sub, ++row)
      column.emplace_back(rows[row].begin() + static_cast<std::ptrdiff_t>(unknown_count), rows[row].end());
    data[chunk] = join(column);
  }
  return encode(data);
}

/// A sub-chunk as a combination of all data sub-chunks.
Bytes Oracle::row(unsigned chunk, unsigned sub) const {
  if (chunk >= k()) return generator_[(chunk - k()) * alpha() + sub];
  Bytes unit(std::size_t{k()} * alpha());
  unit[chunk * alpha() + sub] = 1;
  return unit;
}

bool Oracle::spans(const ChunkSet& available, const std::vector<Bytes>& rows) const {
  std::vector<Bytes> known;
  for (const unsigned source : available)
    for (unsigned sub = 0; sub < alpha(); ++sub) known.push_back(row(source, sub));
  auto with_rows = known;
  with_rows.insert(with_rows.end(), rows.begin(), rows.end());
  return oracle::rank(known) == oracle::rank(with_rows);
}

bool Oracle::determines(const ChunkSet& available, unsigned chunk, unsigned sub) const {
  return spans(available, {row(chunk, sub)});
}

bool Oracle::determines(const ChunkSet& available, unsigned chunk) const {
  std::vector<Bytes> rows;
  for (unsigned sub = 0; sub < alpha(); ++sub) rows.push_back(row(chunk, sub));
  return spans(available, rows);
}

bool Oracle::decodable(const ChunkSet& available) const {
  auto rows = equations(available);
  return oracle::eliminate(rows, std::size_t{missing_data(k(), available).count()} * alpha());
}

}  // namespace parapet::codec
