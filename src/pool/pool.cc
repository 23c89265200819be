#include "pool/pool.h"

#include <algorithm>
#include <numeric>

#include "base/mutant.h"
#include "base/try.h"
#include "layout/rows.h"
#include "layout/shard_header.h"
#include "store/io_time.h"

namespace parapet::pool {

using layout::HolderSet;
using layout::SegmentId;
using layout::SlotState;

namespace {

constexpr std::uint64_t log_size_min = 128 << 10;
constexpr std::size_t chunk_size_max = layout::chunk_size_max / 2;  ///< Rounding up to the code's granule must fit too.

Error wrong(const char* reason, std::uint64_t a = 0, std::uint64_t b = 0) {
  return {.code = ErrorCode::invalid_argument, .operation = "create", .reason = reason, .values = {a, b}};
}

layout::SetId random_id(env::World& world) {
  layout::SetId id;
  world.fill_random(id.bytes);
  return id;
}

/// What the superblocks of a new pool say, but for their identities.
Result<std::vector<layout::Superblock>> plan(std::span<const std::uint64_t> disk_sizes, const CreateOptions& options) {
  PARAPET_TRY(const Code code, Code::parse(options.code));
  if (disk_sizes.empty() || disk_sizes.size() > layout::device_count_max)
    return wrong("a pool has 1 to {} devices, {} are given", layout::device_count_max, disk_sizes.size());
  if (code.n() > disk_sizes.size())
    return wrong("the code needs {} devices, {} are given", code.n(), disk_sizes.size());
  if (code.n() > layout::holder_count_max)
    return wrong("a code of a pool has at most {} chunks", layout::holder_count_max);
  if (code.text().size() > layout::slot_code_text_size_max) return wrong("the code's text is too long");
  if (options.log_size < log_size_min || options.log_size % layout::block_size != 0)
    return wrong("a log has whole blocks of 4096 bytes, and {} bytes at least", log_size_min);
  const std::size_t granule = layout::Rows(code.alpha(), code.packet_size()).granule();
  if (granule > chunk_size_max) return wrong("the code's smallest chunk has {} bytes, too many", granule);
  if (options.chunk_size == 0 || options.chunk_size > chunk_size_max)
    return wrong("the chunk size must be 1 to {} bytes", chunk_size_max);

  layout::Superblock superblock;
  superblock.configuration = {{0, 0}, layout::DeviceSet::range(0, static_cast<unsigned>(disk_sizes.size()))};
  superblock.scheme = static_cast<std::uint8_t>(options.scheme);
  superblock.code = code.text();
  superblock.chunk_size = static_cast<std::uint32_t>((options.chunk_size + granule - 1) / granule * granule);
  std::vector<layout::Superblock> superblocks;
  for (const std::uint64_t size : disk_sizes) {
    superblock.ordinal = static_cast<std::uint32_t>(superblocks.size());
    PARAPET_TRY(superblock.geometry, layout::plan_geometry(size, options.log_size, superblock.chunk_size));
    superblocks.push_back(superblock);
  }
  return superblocks;
}

}  // namespace

Result<void> Pool::check(std::span<const std::uint64_t> disk_sizes, const CreateOptions& options) {
  PARAPET_CHECK(plan(disk_sizes, options));
  return {};
}

Result<void> Pool::create(env::World& world, std::span<env::Disk* const> disks, const CreateOptions& options) {
  std::vector<std::uint64_t> sizes;
  for (const env::Disk* disk : disks) sizes.push_back(disk->size());
  PARAPET_TRY(auto superblocks, plan(sizes, options));
  const layout::PoolId pool = random_id(world);
  std::vector<layout::DeviceId> devices;
  for (std::size_t i = 0; i < disks.size(); ++i) devices.push_back(random_id(world));
  for (std::size_t i = 0; i < disks.size(); ++i) {
    superblocks[i].pool = pool;
    superblocks[i].devices = devices;
    PARAPET_CHECK(store::Store::format(world, *disks[i], superblocks[i]));
  }
  return {};
}

Pool::~Pool() {
  if (!devices_.empty()) (void)flush();
  stopping_ = true;
  {
    const env::Lock lock(*stage_);
    commit_wanted_->notify_all();
    damage_noted_->notify_all();
  }
  for (Device& device : devices_)
    if (device.store) device.store->wake();
  repairer_.reset();
  for (Device& device : devices_) device.mover.reset();
  committer_.reset();
}

Result<SegmentId> Pool::allocate() { return create_segment({}); }

Result<SegmentId> Pool::write_segment(std::span<const std::uint8_t> bytes) {
  PARAPET_TRY(const Code code, codes_.code(defaults_.code));
  if (bytes.empty() || bytes.size() > segment_size_)
    return Error{.code = ErrorCode::invalid_argument,
                 .operation = "write",
                 .reason = "a segment has 1 to {} bytes, {} are given",
                 .values = {segment_size_, bytes.size()}};
  const Segment shape({}, code, defaults_.chunk_size);
  std::vector<env::IoBuffer> chunks;
  std::vector<ConstRegion> data;
  std::vector<Region> parity;
  for (unsigned chunk = 0; chunk < code.n(); ++chunk) {
    chunks.emplace_back(shape.chunk_size);
    if (chunk < code.k()) {
      data.emplace_back(chunks.back().data(), shape.chunk_size);
      if (bytes.size() < segment_size_) std::ranges::fill(chunks.back().span(), std::uint8_t{0});
    } else {
      parity.emplace_back(chunks.back().data(), shape.chunk_size);
    }
  }
  for (const Piece& piece : pieces_of(shape, 0, bytes.size()))
    std::ranges::copy(bytes.subspan(piece.position, piece.length), chunks[piece.chunk].data() + piece.offset);
  PARAPET_CHECK(code.encode(data, parity));
  return create_segment(chunks);
}

/// `chunks`: the content of all n chunks, or none for zeros.
Result<SegmentId> Pool::create_segment(const std::vector<env::IoBuffer>& chunks) {
  PARAPET_TRY(const Code code, codes_.code(defaults_.code));
  PARAPET_TRY(const auto devices, choose_devices(code.n()));
  env::Lock lock(*stage_);
  layout::ChunkSlot slot;
  slot.state = SlotState::creating;
  slot.segment = {std::uint64_t{ballot_} << 32 | ++segment_counter_};
  slot.chunk_size = defaults_.chunk_size;
  slot.code = code.text();
  slot.devices = devices;
  slot.members = {configuration_.version, HolderSet::range(0, code.n())};
  const auto segment = std::make_shared<Segment>(slot.segment, code, slot.chunk_size);
  PARAPET_CHECK(allocate_chunks(*segment, slot));
  lock.unlock();
  if (!chunks.empty()) {
    const layout::DeviceSet failed = write_chunks(*segment, chunks);
    if (!failed.empty()) {
      lock.lock();
      for (const Holder& place : segment->holders) place.store->cancel_allocation(slot.segment);
      become_committer(lock);
      const auto excluded = exclude(lock, failed);
      resign_committer(lock);
      lock.unlock();
      PARAPET_CHECK(excluded);
      return create_segment(chunks);  // On other devices, of which there are fewer now.
    }
  }
  PARAPET_CHECK(publish(lock, segment));
  unload_some();
  return slot.segment;
}

Result<void> Pool::allocate_chunks(Segment& segment, layout::ChunkSlot slot) {
  std::optional<Error> refused;
  for (unsigned holder = 0; holder < segment.code.n() && !refused; ++holder) {
    slot.chunk = holder;
    Holder& place = segment.holders[holder];
    place.device = slot.devices[holder];
    place.store = devices_[place.device].store.get();
    const bool reserve = static_cast<Scheme>(defaults_.scheme) == Scheme::plr && holder >= segment.code.k();
    if (const auto taken = place.store->allocate_chunk(slot, reserve ? slot.chunk_size / 4 : 0); !taken)
      refused = taken.error();
  }
  segment.counting = slot.members.holders;
  if (!refused) return {};
  for (const Holder& place : segment.holders)
    if (place.store != nullptr) place.store->cancel_allocation(slot.segment);
  return *refused;
}

/// Says which devices failed.
layout::DeviceSet Pool::write_chunks(Segment& segment, const std::vector<env::IoBuffer>& chunks) {
  const unsigned k = segment.code.k();
  const std::uint32_t block_count = segment.chunk_size / layout::block_size;
  std::vector<std::uint32_t> checksums;
  for (unsigned chunk = 0; chunk < chunks.size(); ++chunk)
    for (std::uint32_t block = 0; block < block_count; ++block)
      checksums.push_back(layout::chunk_block_checksum(segment.id, chunk, block,
                                                       chunks[chunk].data() + std::size_t{block} * layout::block_size));
  env::IoBatch io(world_);
  for (unsigned chunk = 0; chunk < chunks.size(); ++chunk) {
    const bool parity = chunk >= k;
    const auto shape = parity ? layout::parity_tag_shape(k, block_count) : layout::data_tag_shape(block_count);
    layout::ChunkTag tag(segment.id, chunk, shape);
    const auto own = checksums.begin() + std::ptrdiff_t{chunk} * block_count;
    std::copy(own, own + block_count, tag.checksums.begin());
    if (parity)
      std::copy(checksums.begin(), checksums.begin() + std::ptrdiff_t{k} * block_count,
                tag.checksums.begin() + block_count);
    store::Store& store = *segment.holders[chunk].store;
    store.fill_allocated(segment.id, tag, chunks[chunk], io);
  }
  io.run(world_.now() + store::io_time_max);
  layout::DeviceSet failed;
  for (unsigned chunk = 0; chunk < chunks.size(); ++chunk)
    if (!io.result(chunk)) failed.insert(segment.holders[chunk].device);
  return failed;
}

/// Makes the segment exist, in two steps. It is known before the second one: whoever finds it then shares it. `stage`
/// is not held, and held when it returns.
Result<void> Pool::publish(env::Lock& stage, const SegmentPtr& segment) {
  PARAPET_CHECK(change_slots_waiting(stage, *segment, segment->counting,
                                     [](layout::ChunkSlot& slot) { slot.state = SlotState::creating; }));
  PARAPET_CHECK(commit_staged(stage));
  stage.unlock();
  for (unsigned holder : segment->counting) {
    Holder& place = segment->holders[holder];
    PARAPET_TRY(place.chunk, place.store->chunk(segment->id));
  }
  stage.lock();
  // Devices that went out meanwhile do not count; the others go on with it.
  for (unsigned holder : HolderSet(segment->counting))
    if (devices_[segment->holders[holder].device].failed) segment->counting.erase(holder);
  segments_[segment->id] = segment;
  const auto outcome = make_live(stage, *segment);
  if (!outcome) segments_.erase(segment->id);
  return outcome;
}

Result<void> Pool::make_live(env::Lock& stage, Segment& segment) {
  PARAPET_CHECK(servable(segment));
  const HolderSet holders = segment.counting;
  stage.unlock();
  PARAPET_CHECK(
      change_slots_waiting(stage, segment, holders, [](layout::ChunkSlot& slot) { slot.state = SlotState::live; }));
  PARAPET_CHECK(commit_staged(stage));
  return servable(segment);
}

/// The n devices with the most free space, in order of their ordinals turned by the segment's number, so that parity
/// goes round.
Result<std::vector<std::uint8_t>> Pool::choose_devices(unsigned n) {
  std::vector<std::pair<std::uint64_t, std::uint8_t>> candidates;
  const env::Lock lock(*stage_);
  for (unsigned device : reachable() & configuration_.in)
    candidates.emplace_back(devices_[device].store->free_unit_count(), static_cast<std::uint8_t>(device));
  if (candidates.size() < n)
    return Error{.code = ErrorCode::no_space,
                 .operation = "allocate",
                 .reason = "{} devices are in, the code needs {}",
                 .values = {candidates.size(), n}};
  std::ranges::sort(candidates, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::uint8_t> devices;
  for (unsigned i = 0; i < n; ++i) devices.push_back(candidates[i].second);
  std::ranges::sort(devices);
  std::rotate(devices.begin(), devices.begin() + segment_counter_ % n, devices.end());
  return devices;
}

Result<std::uint64_t> Pool::size_of(SegmentId id) {
  PARAPET_TRY(const SegmentPtr segment, this->segment(id));
  return segment->size();
}

Result<void> Pool::remove(SegmentId id) {
  PARAPET_TRY(const SegmentPtr segment, this->segment(id));
  const RangeLocks::Held held(ranges_, id, whole_range(*segment));
  const env::Lock loading(*load_mutex_);
  env::Lock lock(*stage_, std::defer_lock);
  if (base::broken(base::Mutant::remove_in_one_step)) {
    lock.lock();
  } else {
    PARAPET_CHECK(change_slots_waiting(lock, *segment, segment->counting,
                                       [](layout::ChunkSlot& slot) { slot.state = SlotState::dropping; }));
  }
  PARAPET_CHECK(servable(*segment));
  PARAPET_CHECK(commit_staged(lock));
  segment->removed = true;
  segments_.erase(id);
  lock.unlock();
  for (const Holder& place : segment->holders)
    if (place.store != nullptr) PARAPET_CHECK(take_apart(place, id));
  lock.lock();
  return commit_staged(lock);
}

/// Frees what a device has of a segment that is dropped.
Result<void> Pool::take_apart(const Holder& place, SegmentId id) {
  if (failed(place.device) || !place.store->slot(id)) return {};
  const auto room = place.store->reserve_slot_change(id);
  if (!room) return {};  // It has gone out; when it is back, it is told.
  // No mover may have the chunk.
  const env::Lock moving(*devices_[place.device].mover_mutex);
  const env::Lock lock(*stage_);
  place.store->append_removal(id, *room);
  return {};
}

std::vector<BlockRange> Pool::whole_range(const Segment& segment) {
  std::vector<BlockRange> ranges;
  for (unsigned chunk = 0; chunk < segment.code.k(); ++chunk)
    ranges.push_back({chunk, 0, segment.chunk_size / layout::block_size});
  return ranges;
}

std::vector<SegmentId> Pool::segments() {
  const env::Lock lock(*stage_);
  std::vector<SegmentId> living;
  for (SegmentId id : all_segments())
    if (const auto slot = newest_slot(id); slot && lives(*slot)) living.push_back(id);
  return living;
}

PoolStatus Pool::status() {
  const env::Lock lock(*stage_);
  PoolStatus status;
  for (unsigned device = 0; device < devices_.size(); ++device)
    status.devices.push_back(!devices_[device].store                                          ? DeviceState::absent
                             : devices_[device].failed || !configuration_.in.contains(device) ? DeviceState::out
                                                                                              : DeviceState::in);
  status.configuration = configuration_.version;
  for (SegmentId id : all_segments())
    if (closed(id)) status.closed.push_back(id);
  status.damaged_logs = damaged_logs_;
  status.loaded_segments = segments_.size();
  return status;
}

std::optional<store::SpaceUse> Pool::space_use(unsigned device) {
  if (device >= devices_.size() || !devices_[device].store) return std::nullopt;
  return devices_[device].store->space_use();
}

}  // namespace parapet::pool
