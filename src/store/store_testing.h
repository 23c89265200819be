// For tests: a store on a simulated device, and what a segment's chunks must hold.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/try.h"
#include "layout/shard_header.h"
#include "simenv/sim_disk.h"
#include "simenv/sim_test.h"
#include "store/chunk_reader.h"
#include "store/mover.h"
#include "store/parity_reader.h"
#include "store/store.h"
#include "store/trimmer.h"

namespace parapet::store {

using layout::block_size;
using layout::SegmentId;
using layout::UpdateId;

/// Compares without printing megabytes.
inline ::testing::AssertionResult same_bytes(const Bytes& actual, const Bytes& expected) {
  if (actual.size() != expected.size())
    return ::testing::AssertionFailure() << actual.size() << " bytes, not " << expected.size();
  const auto [a, b] = std::ranges::mismatch(actual, expected);
  if (a == actual.end()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "first different at byte " << a - actual.begin();
}

template <class T>
::testing::AssertionResult good(const Result<T>& result) {
  if (result) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << result.error().message();
}

inline layout::Superblock test_superblock(std::uint64_t disk_size, std::uint64_t log_size) {
  layout::Superblock superblock;
  superblock.pool.bytes = {1, 2, 3};
  superblock.devices.resize(3);
  for (std::uint8_t i = 0; i < 3; ++i) superblock.devices[i].bytes = {7, i};
  superblock.ordinal = 1;
  superblock.geometry = layout::plan_geometry(disk_size, log_size, 64 << 10).value();
  superblock.configuration.in = layout::DeviceSet::range(0, 3);
  superblock.chunk_size = 64 << 10;
  superblock.code = "rs(4,2)";
  return superblock;
}

/// A segment's data, and the updates that change it as they would be sent to its holders. To know what was committed,
/// copy it.
class SegmentModel {
 public:
  SegmentModel(SegmentId segment, const std::string& code_text, std::uint32_t size)
      : id(segment),
        code(Code::parse(code_text).value()),
        chunk_size(size),
        data(code.k(), Bytes(size)),
        tip(code.k()) {}

  /// Changes bytes of data chunk `chain` to random ones; the record that `holder` gets. Only holders that hold the
  /// chain can be asked.
  RecordPtr update(unsigned holder, std::uint64_t chain, std::uint64_t offset, std::size_t length, base::Prng& prng,
                   std::uint32_t ballot = 1) {
    Bytes fresh(length);
    prng.fill(fresh.data(), length);
    return update(holder, static_cast<unsigned>(chain), static_cast<std::uint32_t>(offset), fresh, ballot);
  }

  RecordPtr update(unsigned holder, unsigned chain, std::uint32_t offset, const Bytes& fresh,
                   std::uint32_t ballot = 1) {
    const auto length = static_cast<std::uint32_t>(fresh.size());
    auto record = std::make_shared<Record>();
    auto& header = record->header;
    header.kind = holder < code.k() ? layout::RecordKind::data : layout::RecordKind::delta;
    header.chain = static_cast<std::uint8_t>(chain);
    header.segment = id;
    header.from = tip[chain];
    header.id = tip[chain] = {ballot, ++counter};
    header.sent_to = code.parities_of(chain) | layout::HolderSet{chain};
    header.offset = offset;
    header.length = length;
    Bytes delta(fresh);
    for (std::uint32_t i = 0; i < length; ++i) delta[i] ^= data[chain][offset + i];
    std::ranges::copy(fresh, data[chain].begin() + offset);
    const std::uint32_t first = offset / block_size, last = (offset + length - 1) / block_size;
    for (std::uint32_t block = first; block <= last; ++block) {
      written.insert({chain, block});
      record->checksums.push_back(data_checksum_of(chain, block));
    }
    if (holder >= code.k()) {
      record->payload = shared_bytes(delta);
    } else {
      record->payload =
          shared_bytes(std::span(data[chain])
                           .subspan(std::size_t{first} * block_size, (last - first + 1) * std::size_t{block_size}));
    }
    return record;
  }

  [[nodiscard]] std::uint32_t data_checksum_of(unsigned chain, std::uint32_t block) const {
    return layout::chunk_block_checksum(id, chain, block, data[chain].data() + std::size_t{block} * block_size);
  }

  /// What chunk `holder` holds.
  [[nodiscard]] Bytes content(unsigned holder) const {
    if (holder < code.k()) return data[holder];
    std::vector<Bytes> parity(code.m(), Bytes(chunk_size));
    std::vector<ConstRegion> from;
    std::vector<Region> to;
    for (const Bytes& bytes : data) from.emplace_back(bytes.data(), bytes.size());
    for (Bytes& bytes : parity) to.emplace_back(bytes.data(), bytes.size());
    EXPECT_TRUE(good(code.encode(from, to)));
    return parity[holder - code.k()];
  }

  SegmentId id;
  Code code;
  std::uint32_t chunk_size;
  std::vector<Bytes> data;
  std::vector<UpdateId> tip;
  std::set<std::pair<unsigned, std::uint32_t>> written;  ///< Data chunks and blocks.
  std::uint64_t counter = 0;
};

/// Everything below is called inside `world.run`.
class TestDevice {
 public:
  static constexpr MovePolicy fold_all{true, true, false};
  static constexpr MovePolicy reserve_all{true, true, true};

  TestDevice(simenv::SimWorld& in, std::uint64_t log_size = 256 << 10, std::uint64_t size = 4 << 20)
      : world(in), disk(in, size, "device"), codes(in) {
    EXPECT_TRUE(good(Store::format(world, disk, test_superblock(size, log_size))));
    EXPECT_TRUE(open());
  }

  /// Opens the device in a new ballot.
  ::testing::AssertionResult open() {
    store.reset();
    boot = disk.boot();
    const auto superblock = Store::identify(world, *boot);
    if (!superblock) return good(superblock);
    store = std::make_unique<Store>(world, *boot, codes, *superblock);
    const auto recovered = store->recover(++ballot);
    damaged = recovered.value_or(false);
    return good(recovered);
  }

  /// Power fails and comes back.
  ::testing::AssertionResult crash() {
    disk.power_off();
    disk.power_on();
    disk.set_dead(false);
    disk.faults() = simenv::SimFaults();
    return open();
  }

  /// All later operations fail from the `first`-th on.
  void die_at(std::uint64_t first) {
    simenv::ScriptedFault fault{.kind = simenv::FaultKind::dead};
    fault.first = first;
    disk.faults() = simenv::SimFaults();
    disk.faults().add(fault);
  }

  Result<void> commit() {
    env::IoBatch io(world);
    if (!store->close_batch()) return {};
    store->write_batch(io);
    io.run();
    PARAPET_CHECK(io.first_error());
    store->batch_written();
    return {};
  }

  /// Makes a chunk, durably.
  Chunk& create(const SegmentModel& model, unsigned chunk, std::size_t reserve_size = 0) {
    layout::ChunkSlot slot;
    slot.state = layout::SlotState::creating;
    slot.segment = model.id;
    slot.chunk = chunk;
    slot.chunk_size = model.chunk_size;
    slot.code = model.code.text();
    for (std::uint8_t i = 0; i < model.code.n(); ++i) slot.devices.push_back(i);
    EXPECT_TRUE(good(store->allocate_chunk(slot, reserve_size)));
    for (const auto state : {layout::SlotState::creating, layout::SlotState::live}) {
      change_slot(model.id, [&](layout::ChunkSlot& s) { s.state = state; });
      EXPECT_TRUE(good(commit()));
    }
    return chunk_of(model);
  }
  /// Appends the change without making it durable.
  void change_slot(SegmentId segment, const std::function<void(layout::ChunkSlot&)>& change) {
    const auto room = store->reserve_slot_change(segment);
    ASSERT_TRUE(good(room));
    store->append_slot(segment, *room, change);
  }
  Chunk& chunk_of(const SegmentModel& model) {
    const auto chunk = store->chunk(model.id);
    EXPECT_TRUE(good(chunk));
    return **chunk;
  }

  /// Appends the update without making it durable.
  void append(Chunk& chunk, const RecordPtr& record) {
    const auto room = store->reserve_update(chunk, record->size());
    ASSERT_TRUE(good(room));
    store->append_update(chunk, record, *room);
  }
  /// The update is durable, and committed.
  Result<void> write(Chunk& chunk, const RecordPtr& record) {
    PARAPET_TRY(const std::size_t room, store->reserve_update(chunk, record->size()));
    store->append_update(chunk, record, room);
    PARAPET_CHECK(commit());
    mark_committed(chunk, record->header.chain, record->header.id);
    return {};
  }
  void mark_committed(const Chunk& chunk, unsigned chain, UpdateId id) {
    const Store::Committed mark{store->chunk(chunk.tag.segment).value(), chain, id};
    store->mark_committed({&mark, 1});
  }
  /// Everything that is logged is committed.
  void mark_all_committed() {
    for (SegmentId segment : store->segments_in_log()) {
      Chunk& chunk = **store->chunk(segment);
      for (const RecordPtr& record : std::vector(chunk.updates.begin(), chunk.updates.end()))
        mark_committed(chunk, record->header.chain, record->header.id);
    }
  }

  /// One pass of a mover.
  Result<void> move(const MovePolicy& policy) {
    Mover mover(*store, policy);
    if (mover.empty()) return {};
    PARAPET_CHECK(mover.write());
    if (!mover.failures().empty()) return mover.failures().front().error;
    mover.append({});
    PARAPET_CHECK(commit());
    mover.finish();
    return {};
  }
  /// Empties the log.
  Result<void> settle() {
    PARAPET_CHECK(move(fold_all));
    return trim(*store);
  }

  /// Everything that the chunk holds as of its tip.
  Result<Bytes> content(Chunk& chunk) {
    return chunk.shape.parity ? parity_content(chunk, chunk.tip) : data_content(chunk);
  }
  Result<Bytes> data_content(Chunk& chunk, std::optional<UpdateId> upto = std::nullopt) {
    const env::IoBuffer into(chunk.shape.chunk_size);
    env::IoBatch io(world);
    ChunkReader reader(*store, chunk, 0, chunk.shape.block_count, into, upto);
    reader.add_reads(io);
    io.run();
    PARAPET_CHECK(reader.finish(io));
    return Bytes(into.data(), into.data() + into.size());
  }
  Result<Bytes> parity_content(Chunk& chunk, const std::vector<UpdateId>& vector) {
    const Pin pin(*store, chunk);
    const RowGeometry& rows = chunk.shape.rows;
    env::IoBatch io(world);
    ParityReader reader(*store, chunk, 0, rows.row_count(), vector, io);
    io.run();
    Bytes in_rows(chunk.shape.chunk_size), content(chunk.shape.chunk_size);
    PARAPET_CHECK(reader.finish(io, in_rows));
    std::size_t at = 0;
    for (std::uint32_t row = 0; row < rows.row_count(); ++row)
      for (std::uint32_t block : rows.blocks_of(row)) {
        std::memcpy(content.data() + std::size_t{block} * block_size, in_rows.data() + at, block_size);
        at += block_size;
      }
    return content;
  }

  /// The chunk holds what the model says, and its checksums of data blocks are right.
  ::testing::AssertionResult holds(const SegmentModel& model) {
    const auto found = store->chunk(model.id);
    if (!found) return good(found);
    Chunk& chunk = **found;
    const auto bytes = content(chunk);
    if (!bytes) return good(bytes);
    if (const auto same = same_bytes(*bytes, model.content(chunk.shape.chunk)); !same) return same;
    if (!chunk.shape.parity) return ::testing::AssertionSuccess();
    for (unsigned chain = 0; chain < model.code.k(); ++chain) {
      if (!chunk.shape.holds_chain(chain)) continue;
      for (std::uint32_t block = 0; block < chunk.shape.block_count; ++block) {
        const std::uint32_t expected =
            model.written.contains({chain, block}) ? model.data_checksum_of(chain, block) : 0;
        if (data_checksum(*store, chunk, chain, block, chunk.tip[chain]) != expected)
          return ::testing::AssertionFailure() << "checksum of data chunk " << chain << " block " << block;
      }
    }
    return ::testing::AssertionSuccess();
  }

  /// Where the bytes of the chunk's home begin on the device.
  [[nodiscard]] std::uint64_t home_offset(SegmentId segment) {
    const auto& geometry = store->superblock().geometry;
    return geometry.space_offset + std::uint64_t{store->slot(segment)->home.first_unit} * layout::unit_size;
  }

  simenv::SimWorld& world;
  simenv::SimDisk disk;
  CodeCache codes;
  std::unique_ptr<env::Disk> boot;
  std::unique_ptr<Store> store;
  std::uint32_t ballot = 0;
  bool damaged = false;
};

/// Bytes of the device.
inline Bytes read_bytes(TestDevice& device, std::uint64_t offset, std::size_t size) {
  const env::IoBuffer into(size);
  EXPECT_TRUE(good(simenv::run_io(device.world, env::Io::Kind::read, device.disk, offset, into)));
  return {into.data(), into.data() + into.size()};
}
inline void write_bytes(TestDevice& device, std::uint64_t offset, const Bytes& bytes) {
  const env::IoBuffer from(bytes.size());
  std::ranges::copy(bytes, from.data());
  EXPECT_TRUE(good(simenv::run_io(device.world, env::Io::Kind::write_durable, device.disk, offset, from)));
}

/// Runs `body(world)` in a world of its own.
template <class Body>
void in_world(const Body& body, std::uint64_t seed = 1) {
  simenv::SimWorld world(seed);
  world.run([&] { body(world); });
}

/// Power fails at the first, second, ... operation of `act(device)` after `prepare(device)`, until `act` is done. Each
/// time `holds(device)` must be true: after recovery, after another one, and when all was moved on and trimmed.
template <class Prepare, class Act, class Holds>
void lose_power_at_every_operation(const Prepare& prepare, const Act& act, const Holds& holds, std::uint64_t log_size,
                                   std::uint64_t disk_size) {
  bool done = false;
  for (std::uint64_t n = 0; !done; ++n) {
    ASSERT_LT(n, 200u);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE("operation " + std::to_string(n) + " seed " + std::to_string(seed));
      in_world(
          [&](simenv::SimWorld& world) {
            TestDevice device(world, log_size, disk_size);
            prepare(device);
            device.die_at(n);
            const Result<void> outcome = act(device);
            done = outcome.has_value();
            ASSERT_TRUE(device.crash());
            EXPECT_TRUE(holds(device)) << "after recovery";
            ASSERT_TRUE(device.crash());
            EXPECT_TRUE(holds(device)) << "after another one";
            device.mark_all_committed();
            ASSERT_TRUE(good(device.settle()));
            ASSERT_TRUE(good(device.settle()));
            EXPECT_TRUE(holds(device)) << "settled";
            const SpaceUse use = device.store->space_use();
            EXPECT_EQ(use.log_used, 0u);
            EXPECT_EQ(use.log_reserved, 0u);
            EXPECT_EQ(use.leaving, 0u);
            ASSERT_TRUE(device.crash());
            EXPECT_TRUE(holds(device)) << "settled and recovered";
          },
          100 * n + seed);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace parapet::store
