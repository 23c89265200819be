#include "store/log.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "base/mutant.h"
#include "base/try.h"
#include "layout/shard_header.h"
#include "store/io_time.h"

namespace parapet::store {
namespace {

using layout::Lsn;
using layout::RecordHeader;
using layout::RecordKind;

constexpr std::size_t scan_step = 1 << 20;

Lsn block_up(Lsn lsn) { return (lsn + layout::block_size - 1) / layout::block_size * layout::block_size; }
Lsn block_down(Lsn lsn) { return lsn / layout::block_size * layout::block_size; }

RecordPtr record_of(const RecordHeader& header, std::span<const std::uint8_t> bytes) {
  auto record = std::make_shared<Record>();
  record->header = header;
  const auto list = layout::record_list(header, bytes);
  if (header.kind == RecordKind::pages) {
    record->places.resize(header.list_count);
    if (!list.empty()) std::memcpy(record->places.data(), list.data(), header.list_count * sizeof(layout::PagePlace));
  } else {
    record->checksums.resize(header.list_count);
    if (!list.empty()) std::memcpy(record->checksums.data(), list.data(), header.list_count * sizeof(std::uint32_t));
  }
  const auto payload = layout::record_payload(header, bytes);
  record->payload = shared_bytes(payload);
  return record;
}

/// The ring from a position on, read as far as it is asked for.
class RingReader {
 public:
  RingReader(env::World& world, env::Disk& disk, std::uint64_t ring_offset, std::size_t ring_size, Lsn start)
      : world_(world), disk_(disk), ring_offset_(ring_offset), ring_size_(ring_size), start_(start) {}

  /// Bytes [lsn, lsn + size), fewer at the end of a whole turn of the ring.
  Result<std::span<const std::uint8_t>> bytes(Lsn lsn, std::size_t size) {
    while (lsn + size > start_ + bytes_.size() && bytes_.size() < ring_size_) PARAPET_CHECK(read_more());
    const std::size_t at = std::min<std::size_t>(lsn - start_, bytes_.size());
    return std::span<const std::uint8_t>(bytes_).subspan(at, std::min(size, bytes_.size() - at));
  }

 private:
  Result<void> read_more() {
    const std::size_t place = (start_ + bytes_.size()) % ring_size_;
    const std::size_t size = std::min({scan_step, ring_size_ - bytes_.size(), ring_size_ - place});
    const env::IoBuffer buffer(size);
    env::IoBatch io(world_);
    io.read(disk_, ring_offset_ + place, buffer);
    io.run(world_.now() + io_time_max);
    PARAPET_CHECK(io.first_error());
    bytes_.insert(bytes_.end(), buffer.data(), buffer.data() + size);
    return {};
  }

  env::World& world_;
  env::Disk& disk_;
  std::uint64_t ring_offset_;
  std::size_t ring_size_;
  Lsn start_;
  Bytes bytes_;
};

/// The page places of a record must lie behind the log, and the payload must be theirs.
bool places_fit(const Record& record, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t total = 0;
  for (const auto& [offset, size] : record.places) {
    if (size == 0 || offset % layout::block_size != 0 || size % layout::block_size != 0) return false;
    if (offset < begin || offset > end || size > end - offset) return false;
    total += size;
  }
  return total == record.payload.size();
}

}  // namespace

Log::Log(env::Disk& disk, const layout::DeviceGeometry& geometry, const layout::LogIdentity& identity)
    : disk_(disk), ring_offset_(geometry.log_offset), ring_size_(geometry.log_size), identity_(identity) {}

Result<Log::Scan> Log::scan(env::World& world, Lsn head, Lsn flushed, std::uint32_t ballot) {
  Scan result;
  dropped_ballot_ = ballot;
  RingReader ring(world, disk_, ring_offset_, ring_size_, block_down(head));
  const Lsn limit = block_down(head) + ring_size_;
  Lsn lsn = head;
  while (lsn < limit) {
    PARAPET_TRY(const auto head_bytes, ring.bytes(lsn, layout::record_header_size));
    const auto header = layout::read_record_header(identity_, head_bytes);
    if (lsn == head && header && header->lsn > lsn)
      return Error{.code = ErrorCode::corrupt, .operation = "log", .reason = "the superblock is older than the log"};
    const bool believed = base::broken(base::Mutant::believe_stale_records);
    bool good = header && header->lsn == lsn && (header->writer_ballot >= ballot || believed) &&
                (result.records.empty() || header->previous == result.records.back()->header.lsn || believed) &&
                (header->lsn < flushed || header->flushed >= flushed || believed);
    if (good) {
      const std::size_t size = layout::record_size(header->kind, header->list_count, header->payload_size);
      PARAPET_TRY(const auto bytes, ring.bytes(lsn, size));
      good = layout::record_body_intact(*header, bytes);
      if (good) {
        RecordPtr record = record_of(*header, bytes);
        good = header->kind != RecordKind::pages || places_fit(*record, ring_offset_ + ring_size_, disk_.size());
        if (good) result.records.push_back(std::move(record));
      }
      if (good) {
        ballot = header->writer_ballot;
        flushed = std::max(flushed, header->flushed);
        lsn += size;
        continue;
      }
    }
    // A batch ends somewhere in its last block; the next one begins behind it.
    if (lsn % layout::block_size == 0 || result.records.empty()) break;
    lsn = block_up(lsn);
  }
  const Lsn end = result.records.empty() ? head : result.records.back()->header.lsn + result.records.back()->size();
  result.damaged = block_up(end) < flushed;
  head_ = head;
  open_start_ = open_end_ = flushed_ = block_up(end);
  has_previous_ = !result.records.empty();
  if (has_previous_) previous_ = result.records.back()->header.lsn;
  live_.assign(result.records.begin(), result.records.end());
  return result;
}

std::size_t Log::free_size() const {
  if (base::broken(base::Mutant::lap_the_log)) return ring_size_;
  return block_down(head_) + ring_size_ - block_up(open_end_);
}

void Log::append(const RecordPtr& record, std::uint32_t ballot) {
  RecordHeader& header = record->header;
  PARAPET_ASSERT(record->size() <= free_size());
  header.lsn = open_end_;
  header.previous = has_previous_ ? previous_ : header.lsn;
  header.writer_ballot = ballot;
  header.list_count = record->list_count();
  header.payload_size = static_cast<std::uint32_t>(record->payload.size());
  previous_ = header.lsn;
  has_previous_ = true;
  open_end_ += record->size();
  open_.push_back(record);
  live_.push_back(record);
}

bool Log::close_batch() {
  PARAPET_ASSERT(closed_.records.empty());
  if (open_.empty()) return false;
  closed_ = {std::move(open_), open_start_, block_up(open_end_), flushed_, {}};
  open_ = {};
  open_start_ = open_end_ = closed_.end;
  return true;
}

void Log::write_batch(env::IoBatch& io) {
  if (closed_.bytes.size() == 0) serialise(closed_);
  const std::size_t place = closed_.start % ring_size_;
  const std::size_t size = closed_.bytes.size();
  const std::size_t first = std::min(size, ring_size_ - place);
  io.write_durable(disk_, ring_offset_ + place, closed_.bytes.part(0, first));
  if (first < size) io.write_durable(disk_, ring_offset_, closed_.bytes.part(first, size - first));
}

void Log::serialise(Batch& batch) const {
  batch.bytes = env::IoBuffer(batch.end - batch.start);
  std::size_t end = 0;
  for (const RecordPtr& record : batch.records) {
    RecordHeader header = record->header;
    header.flushed = batch.flushed;
    const auto bytes = batch.bytes.span().subspan(header.lsn - batch.start, record->size());
    std::uint8_t* const body = bytes.data() + layout::record_header_size;
    const std::size_t list_size = layout::record_list_size(header.kind, header.list_count);
    std::ranges::copy(std::as_bytes(std::span(record->places)), reinterpret_cast<std::byte*>(body));
    std::ranges::copy(std::as_bytes(std::span(record->checksums)), reinterpret_cast<std::byte*>(body));
    std::ranges::copy(record->payload.span(), body + list_size);
    layout::seal_record(identity_, header, bytes);
    end = header.lsn - batch.start + bytes.size();
  }
  std::fill(batch.bytes.data() + end, batch.bytes.data() + batch.bytes.size(), std::uint8_t{0});
}

void Log::batch_written() {
  flushed_ = std::max(flushed_, closed_.end);
  closed_ = {};
}

Lsn Log::drop_freeable(std::vector<RecordPtr>& dropped) {
  while (!live_.empty() && live_.front()->freeable(flushed_) && live_.front()->header.lsn < flushed_) {
    dropped_ballot_ = live_.front()->header.writer_ballot;
    dropped.push_back(std::move(live_.front()));
    live_.pop_front();
  }
  return live_.empty() ? flushed_ : std::min(flushed_, live_.front()->header.lsn);
}

}  // namespace parapet::store
