#include "store/log.h"

#include <gtest/gtest.h>

#include "store/store_testing.h"

namespace parapet::store {
namespace {

using layout::Lsn;

constexpr std::size_t header_and_padding = layout::record_header_size;
/// A payload with which a record fills a block.
constexpr std::size_t one_block = block_size - header_and_padding;

/// A ring of 16 blocks, and whoever opens it.
class LogTest : public ::testing::Test {
 protected:
  static constexpr std::size_t ring_size = 16 * block_size;
  static constexpr std::uint64_t ring_offset = 4 * block_size;

  LogTest() {
    geometry_.device_size = disk_.size();
    geometry_.log_offset = ring_offset;
    geometry_.log_size = ring_size;
    identity_.pool.bytes = {9, 9};
    identity_.ordinal = 2;
  }

  template <class Body>
  void run(const Body& body) {
    world_.run([&] { body(); });
  }
  Log make() { return {disk_, geometry_, identity_}; }

  static RecordPtr record(std::size_t payload_size, std::uint64_t counter = 1) {
    auto record = std::make_shared<Record>();
    record->header.segment = {5};
    record->header.id = {1, counter};
    record->checksums = {static_cast<std::uint32_t>(counter), 17};
    Bytes payload(payload_size - 8);
    base::Prng(counter).fill(payload.data(), payload.size());
    record->payload = std::make_shared<const Bytes>(std::move(payload));
    return record;
  }
  void write(Log& log) {
    env::IoBatch io(world_);
    log.close_batch(io);
    io.run();
    ASSERT_TRUE(good(io.first_error()));
    log.batch_written();
  }
  /// A batch of one record.
  RecordPtr append(Log& log, std::size_t payload_size, std::uint64_t counter = 1, std::uint32_t ballot = 1) {
    const RecordPtr made = record(payload_size, counter);
    log.append(made, ballot);
    write(log);
    return made;
  }
  Log::Scan scan(Log& log, Lsn head = 0, Lsn flushed = 0) {
    auto result = log.scan(world_, head, flushed);
    EXPECT_TRUE(good(result));
    return result ? *result : Log::Scan();
  }
  Log::Scan scan(Lsn head = 0, Lsn flushed = 0) {
    Log log = make();
    return scan(log, head, flushed);
  }
  void overwrite(Lsn lsn, std::size_t size, std::uint8_t value = 0) {
    ASSERT_TRUE(good(simenv::run_io(world_, env::Io::Kind::write_durable, disk_, ring_offset + lsn % ring_size,
                                    simenv::filled(value, size))));
  }
  void rot(Lsn lsn) { disk_.rot(ring_offset + lsn % ring_size); }
  Bytes ring() {
    const env::IoBuffer into(ring_size);
    EXPECT_TRUE(good(simenv::run_io(world_, env::Io::Kind::read, disk_, ring_offset, into)));
    return {into.data(), into.data() + into.size()};
  }

  simenv::SimWorld world_{1};
  simenv::SimDisk disk_{world_, 64 * block_size, "log"};
  layout::DeviceGeometry geometry_;
  layout::LogIdentity identity_;
};

void expect_same(const std::vector<RecordPtr>& actual, const std::vector<RecordPtr>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i]->header.lsn, expected[i]->header.lsn) << i;
    EXPECT_EQ(actual[i]->header.id, expected[i]->header.id) << i;
    EXPECT_EQ(actual[i]->header.segment, expected[i]->header.segment) << i;
    EXPECT_EQ(actual[i]->checksums, expected[i]->checksums) << i;
    EXPECT_EQ(actual[i]->places, expected[i]->places) << i;
    EXPECT_EQ(*actual[i]->payload, *expected[i]->payload) << i;
  }
}

TEST_F(LogTest, AFreshLogIsEmpty) {
  run([&] {
    Log log = make();
    const auto found = scan(log);
    EXPECT_TRUE(found.records.empty());
    EXPECT_FALSE(found.damaged);
    EXPECT_EQ(log.free_size(), ring_size);
    EXPECT_EQ(log.used_size(), 0u);
    EXPECT_EQ(log.size(), ring_size);
    EXPECT_TRUE(log.open_batch_empty());
  });
}

TEST_F(LogTest, RecordsComeBackAsTheyWereAppended) {
  run([&] {
    Log log = make();
    scan(log);
    std::vector<RecordPtr> all;
    for (std::uint64_t i = 1; i <= 3; ++i) log.append(all.emplace_back(record(100 * i, i)), 4);
    EXPECT_FALSE(log.open_batch_empty());
    auto pages = std::make_shared<Record>();
    pages->header.kind = layout::RecordKind::pages;
    pages->places = {{30 * block_size, block_size}, {40 * block_size, 2 * block_size}};
    pages->payload = std::make_shared<const Bytes>(3 * block_size, std::uint8_t{7});
    log.append(all.emplace_back(pages), 4);
    write(log);
    all.push_back(append(log, 5000, 5, 6));
    const auto found = scan();
    expect_same(found.records, all);
    EXPECT_FALSE(found.damaged);
    ASSERT_EQ(found.records.size(), 5u);
    EXPECT_EQ(found.records[3]->header.writer_ballot, 4u);
    EXPECT_EQ(found.records[4]->header.writer_ballot, 6u);
    EXPECT_EQ(found.records[0]->header.previous, 0u) << "its own position";
    for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(found.records[i]->header.previous, found.records[i - 1]->header.lsn);
    expect_same({log.live().begin(), log.live().end()}, all);
  });
}

TEST_F(LogTest, WhatIsNotWrittenIsNotThere) {
  run([&] {
    Log log = make();
    scan(log);
    const RecordPtr first = append(log, 100, 1);
    log.append(record(100, 2), 1);
    expect_same(scan().records, {first});
    EXPECT_EQ(log.flushed(), block_size);
    EXPECT_EQ(log.live().size(), 2u);
  });
}

TEST_F(LogTest, BatchesBeginAtBlocksThatNoEarlierOneWrote) {
  run([&] {
    Log log = make();
    scan(log);
    Lsn end = 0;
    for (std::uint64_t i = 1; i <= 3; ++i) {
      const Bytes before = ring();
      const RecordPtr first = record(3000 * i, i), second = record(200, 10 + i);
      log.append(first, 1);
      log.append(second, 1);
      write(log);
      EXPECT_EQ(first->header.lsn, end);
      EXPECT_EQ(first->header.lsn % block_size, 0u);
      EXPECT_EQ(second->header.lsn, first->header.lsn + first->size()) << "the same batch goes on without a gap";
      const Bytes after = ring();
      EXPECT_TRUE(std::equal(before.begin(), before.begin() + end, after.begin()));
      end = log.flushed();
      EXPECT_EQ(end, (second->header.lsn + second->size() + block_size - 1) / block_size * block_size);
      EXPECT_TRUE(std::equal(before.begin() + end, before.end(), after.begin() + end));
    }
  });
}

TEST_F(LogTest, APaddedBatchLeavesNothingOfTheMemoryThatItHad) {
  run([&] {
    overwrite(0, block_size, 0xaa);
    Log log = make();
    scan(log);
    const RecordPtr first = append(log, 100);
    const Bytes bytes = ring();
    EXPECT_TRUE(std::all_of(bytes.begin() + first->size(), bytes.begin() + block_size, [](auto b) { return b == 0; }));
  });
}

// Over many turns of the ring a new reader always finds exactly the live records.
TEST_F(LogTest, TheRingGoesRound) {
  run([&] {
    Log log = make();
    scan(log);
    base::Prng prng(5);
    std::deque<RecordPtr> live;
    std::uint64_t counter = 0;
    bool wrapped_within_a_record = false;
    for (int round = 0; round < 300; ++round) {
      const std::size_t count = 1 + prng.below(3);
      for (std::size_t i = 0; i < count; ++i) {
        const RecordPtr next = record(8 + prng.below(9000), ++counter);
        while (next->size() + block_size > log.free_size() && !live.empty()) {
          live.front()->freeable_from = 0;
          live.pop_front();
          log.set_head(log.drop_freeable());
        }
        if (next->size() + block_size > log.free_size()) break;
        log.append(next, 1);
        live.push_back(next);
        const Lsn begin = next->header.lsn, last = begin + next->size() - 1;
        wrapped_within_a_record = wrapped_within_a_record || begin / ring_size != last / ring_size;
      }
      write(log);
      const auto found = scan(log.head(), log.flushed());
      EXPECT_FALSE(found.damaged);
      expect_same(found.records, {live.begin(), live.end()});
      if (HasFailure()) FAIL() << "round " << round;
    }
    EXPECT_GT(log.flushed(), 20 * ring_size);
    EXPECT_TRUE(wrapped_within_a_record);
  });
}

// A new opening goes on behind what it found, and the whole is found again.
TEST_F(LogTest, AnOpeningGoesOnWhereTheLastOneEnded) {
  run([&] {
    std::vector<RecordPtr> all;
    for (std::uint32_t ballot = 1; ballot <= 5; ++ballot) {
      Log log = make();
      expect_same(scan(log).records, all);
      EXPECT_EQ(log.live().size(), all.size());
      all.push_back(append(log, 1000 * ballot, ballot, ballot));
      EXPECT_EQ(all.back()->header.previous, all.size() > 1 ? all[all.size() - 2]->header.lsn : 0);
    }
    expect_same(scan().records, all);
  });
}

TEST_F(LogTest, RoomIsCountedInWholeBlocks) {
  run([&] {
    Log log = make();
    scan(log);
    const RecordPtr first = record(100, 1);
    log.append(first, 1);
    EXPECT_EQ(log.free_size(), ring_size - block_size) << "the batch will be padded";
    log.append(record(100, 2), 1);
    EXPECT_EQ(log.free_size(), ring_size - block_size);
    write(log);
    append(log, 100, 3);
    EXPECT_EQ(log.free_size(), ring_size - 2 * block_size);
    EXPECT_EQ(log.used_size(), 2 * block_size);
    first->freeable_from = 0;
    EXPECT_EQ(log.drop_freeable(), first->size());
    log.set_head(first->size());
    EXPECT_EQ(log.free_size(), ring_size - 2 * block_size) << "the head's block is still in use";
    for (const RecordPtr& live : log.live()) live->freeable_from = 0;
    log.set_head(log.drop_freeable());
    EXPECT_EQ(log.head(), 2 * block_size);
    EXPECT_EQ(log.free_size(), ring_size);
  });
}

TEST_F(LogTest, ARingCanBeFilledToItsLastByte) {
  run([&] {
    Log log = make();
    scan(log);
    std::vector<RecordPtr> all;
    all.push_back(append(log, 3 * block_size + one_block, 1));
    log.append(all.emplace_back(record(11 * block_size + one_block, 2)), 1);
    EXPECT_EQ(log.free_size(), 0u);
    write(log);
    expect_same(scan().records, all);
    EXPECT_DEATH(log.append(record(8, 3), 1), "");
  });
}

TEST_F(LogTest, OnlyDurableFreeableRecordsAtTheBeginningAreDropped) {
  run([&] {
    Log log = make();
    scan(log);
    std::vector<RecordPtr> all;
    for (std::uint64_t i = 1; i <= 3; ++i) all.push_back(append(log, 100, i));
    all[1]->freeable_from = 0;
    EXPECT_EQ(log.drop_freeable(), 0u);
    EXPECT_EQ(log.live().size(), 3u);
    all[0]->freeable_from = 0;
    EXPECT_EQ(log.drop_freeable(), 2 * block_size);
    EXPECT_EQ(log.live().size(), 1u);
    all[2]->freeable_from = 0;
    log.append(all.emplace_back(record(100, 4)), 1);
    all[3]->freeable_from = 0;
    EXPECT_EQ(log.drop_freeable(), 3 * block_size) << "the end of what is durable";
    EXPECT_EQ(log.live().size(), 1u) << "the last is in no durable batch";
    EXPECT_EQ(log.head(), 0u) << "only the superblock moves it";
  });
}

TEST_F(LogTest, ARecordMayWaitForALaterOneToBeDurable) {
  run([&] {
    Log log = make();
    scan(log);
    const RecordPtr old = append(log, 100, 1);
    const RecordPtr successor = record(100, 2);
    log.append(successor, 1);
    old->freeable_from = successor->header.lsn + 1;
    EXPECT_EQ(log.drop_freeable(), 0u);
    write(log);
    EXPECT_EQ(log.drop_freeable(), successor->header.lsn);
  });
}

TEST_F(LogTest, TheSameWritesCanBeRepeated) {
  run([&] {
    Log log = make();
    scan(log);
    append(log, 14 * block_size, 1);
    log.live().front()->freeable_from = 0;
    log.set_head(log.drop_freeable());
    const RecordPtr around = record(3 * block_size, 2);
    log.append(around, 1);
    disk_.faults().add({.kind = simenv::FaultKind::write_error, .times = 2});
    env::IoBatch failing(world_);
    log.close_batch(failing);
    EXPECT_EQ(failing.size(), 2u) << "the end of the ring, and its beginning";
    failing.run();
    EXPECT_FALSE(failing.first_error());
    overwrite(around->header.lsn, block_size);
    env::IoBatch again(world_);
    log.repeat_writes(again);
    again.run();
    EXPECT_TRUE(good(again.first_error()));
    EXPECT_EQ(log.flushed(), around->header.lsn) << "not before it is said so";
    log.batch_written();
    EXPECT_EQ(log.flushed(), around->header.lsn + 4 * block_size);
    expect_same(scan(log.head(), log.flushed()).records, {around});
  });
}

TEST_F(LogTest, ClosingAnEmptyBatchWritesNothing) {
  run([&] {
    Log log = make();
    scan(log);
    env::IoBatch io(world_);
    log.close_batch(io);
    EXPECT_EQ(io.size(), 0u);
    log.batch_written();
    EXPECT_EQ(log.flushed(), 0u);
  });
}

TEST_F(LogTest, OnlyOneBatchIsWrittenAtATime) {
  run([&] {
    Log log = make();
    scan(log);
    env::IoBatch io(world_);
    log.append(record(8, 1), 1);
    log.close_batch(io);
    log.append(record(8, 2), 1);
    EXPECT_DEATH(log.close_batch(io), "");
  });
}

// --- where scans end

TEST_F(LogTest, AScanEndsAtARottenRecord) {
  run([&] {
    Log log = make();
    scan(log);
    std::vector<RecordPtr> all;
    all.push_back(append(log, 500, 1));
    for (std::uint64_t i = 2; i <= 3; ++i) log.append(all.emplace_back(record(500, i)), 1);
    write(log);
    all.push_back(append(log, 500, 4));
    const auto intact = disk_.durable();
    for (std::size_t at = 0; at < all[1]->size(); at += 61) {
      disk_.restore(intact);
      rot(all[1]->header.lsn + at);
      const auto found = scan(0, log.flushed());
      expect_same(found.records, {all[0]});
      EXPECT_TRUE(found.damaged);
      EXPECT_FALSE(scan(0, block_size).damaged) << "durable only up to there, as far as one knows";
    }
    // What lies between the end of the batch and its last record is no news.
    for (std::size_t at = 0; at < all[2]->size(); at += 61) {
      disk_.restore(intact);
      rot(all[2]->header.lsn + at);
      expect_same(scan(0, log.flushed()).records, {all[0], all[1]});
    }
  });
}

TEST_F(LogTest, AScanEndsAtATornBatch) {
  run([&] {
    Log log = make();
    scan(log);
    const RecordPtr first = append(log, 500, 1);
    std::vector<RecordPtr> torn;
    for (std::uint64_t i = 2; i <= 5; ++i) log.append(torn.emplace_back(record(3000, i)), 1);
    write(log);
    const auto whole = disk_.durable();
    for (std::size_t sector = 0; sector < 4 * block_size / 512; ++sector) {
      disk_.restore(whole);
      Bytes bytes = ring();
      const std::size_t at = block_size + sector * 512;
      if (at >= torn.back()->header.lsn + torn.back()->size()) break;
      const env::IoBuffer block(block_size);
      const std::size_t block_at = at / block_size * block_size;
      std::memset(bytes.data() + at, 0, 512);
      std::memcpy(block.data(), bytes.data() + block_at, block_size);
      ASSERT_TRUE(good(simenv::run_io(world_, env::Io::Kind::write_durable, disk_, ring_offset + block_at, block)));
      std::vector<RecordPtr> expected{first};
      for (const RecordPtr& record : torn) {
        if (record->header.lsn + record->size() > at) break;
        expected.push_back(record);
      }
      const auto found = scan(0, block_size);
      expect_same(found.records, expected);
      EXPECT_FALSE(found.damaged);
    }
  });
}

TEST_F(LogTest, AScanDoesNotGoOnBehindALostBatch) {
  run([&] {
    Log log = make();
    scan(log);
    const RecordPtr first = append(log, one_block, 1);
    append(log, one_block, 2);
    append(log, one_block, 3);
    overwrite(block_size, block_size);
    expect_same(scan().records, {first});
    EXPECT_TRUE(scan(0, 3 * block_size).damaged);
  });
}

TEST_F(LogTest, ARecordOfAnotherLogIsNotTaken) {
  run([&] {
    Log log = make();
    scan(log);
    const RecordPtr first = append(log, 500, 1);
    for (const bool other_pool : {true, false}) {
      layout::LogIdentity foreign = identity_;
      if (other_pool)
        foreign.pool.bytes[0] ^= 1;
      else
        foreign.ordinal ^= 1;
      Log other(disk_, geometry_, foreign);
      scan(other, block_size, block_size);
      const RecordPtr theirs = append(other, 500, 2);
      EXPECT_EQ(theirs->header.lsn, block_size);
      expect_same(scan().records, {first});
    }
  });
}

TEST_F(LogTest, ARecordOfAnEarlierTurnIsNotTaken) {
  run([&] {
    Log log = make();
    scan(log);
    for (std::uint64_t i = 1; i <= 16; ++i) append(log, one_block, i);
    for (const RecordPtr& live : log.live()) live->freeable_from = 0;
    log.set_head(log.drop_freeable());
    EXPECT_EQ(log.head(), ring_size);
    EXPECT_TRUE(scan(log.head(), log.flushed()).records.empty());
    const RecordPtr next = append(log, one_block, 17);
    expect_same(scan(log.head(), log.flushed()).records, {next});
  });
}

// The first opening's second batch reached the device without its first block. The second opening writes a block of its
// own in that place; what follows says the right position and the right predecessor.
TEST_F(LogTest, AStaleRecordOfAnEarlierOpeningIsNotTaken) {
  run([&] {
    Log first = make();
    scan(first);
    const RecordPtr kept = append(first, one_block, 1, 1);
    const RecordPtr lost = record(one_block, 2), stale = record(one_block, 3);
    first.append(lost, 1);
    first.append(stale, 1);
    write(first);
    overwrite(lost->header.lsn, block_size);

    Log second = make();
    expect_same(scan(second).records, {kept});
    const RecordPtr fresh = append(second, one_block, 4, 2);
    EXPECT_EQ(fresh->header.lsn, lost->header.lsn);
    EXPECT_EQ(stale->header.previous, fresh->header.lsn) << "only the ballot tells";
    expect_same(scan().records, {kept, fresh});

    Log third = make();
    scan(third);
    const RecordPtr last = append(third, 8, 5, 3);
    EXPECT_EQ(last->header.lsn, stale->header.lsn);
    expect_same(scan().records, {kept, fresh, last});
  });
}

// The same, when all that comes before the stale record is not needed any more.
TEST_F(LogTest, AStaleRecordAtTheHeadIsNotTaken) {
  run([&] {
    Log first = make();
    scan(first);
    first.append(record(one_block, 1), 1);
    const RecordPtr stale = record(one_block, 2);
    first.append(stale, 1);
    write(first);
    overwrite(0, block_size);

    Log second = make();
    EXPECT_TRUE(scan(second).records.empty());
    append(second, one_block, 3, 2);
    second.live().front()->freeable_from = 0;
    EXPECT_EQ(second.drop_freeable(), stale->header.lsn);
    const auto found = scan(second.flushed(), second.flushed());
    EXPECT_TRUE(found.records.empty());
    EXPECT_FALSE(found.damaged);
  });
}

TEST_F(LogTest, ALostHeadIsDamage) {
  run([&] {
    Log log = make();
    scan(log);
    append(log, 500, 1);
    append(log, 500, 2);
    rot(20);
    const auto found = scan(0, log.flushed());
    EXPECT_TRUE(found.records.empty());
    EXPECT_TRUE(found.damaged);
  });
}

TEST_F(LogTest, ALostHeadWithinABlockIsDamage) {
  run([&] {
    Log log = make();
    scan(log);
    log.append(record(500, 1), 1);
    const RecordPtr head = record(500, 2);
    log.append(head, 1);
    write(log);
    append(log, 500, 3);
    ASSERT_NE(head->header.lsn % block_size, 0u);
    rot(head->header.lsn + 20);
    const auto found = scan(head->header.lsn, log.flushed());
    EXPECT_TRUE(found.records.empty()) << "what follows it is not the log's beginning";
    EXPECT_TRUE(found.damaged);
  });
}

TEST_F(LogTest, AHeadThatTheRingHasGoneOverIsCorrupt) {
  run([&] {
    Log log = make();
    scan(log);
    for (std::uint64_t i = 1; i <= 20; ++i) {
      append(log, one_block, i);
      log.live().front()->freeable_from = 0;
      log.set_head(log.drop_freeable());
    }
    Log late = make();
    const auto found = late.scan(world_, 0, 0);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::corrupt);
  });
}

TEST_F(LogTest, AReadErrorIsAnError) {
  run([&] {
    disk_.faults().add({.kind = simenv::FaultKind::read_error});
    Log log = make();
    const auto found = log.scan(world_, 0, 0);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::io_failed);
  });
}

// Sealed as it should be, but no pool makes such a record.
TEST_F(LogTest, ImagesOfPlacesThatAreNotTheirsAreNotTaken) {
  run([&] {
    Log log = make();
    scan(log);
    const Lsn log_end = ring_offset + ring_size;
    const struct {
      std::uint64_t offset, size;
      std::size_t payload;
    } cases[] = {{log_end - block_size, block_size, block_size}, {0, block_size, block_size},
                 {log_end, 2 * block_size, block_size},          {log_end, block_size, 2 * block_size},
                 {log_end + 1, block_size, block_size},          {log_end, 0, 0},
                 {disk_.size(), block_size, block_size},         {disk_.size() - block_size, 2 * block_size, 8192},
                 {~std::uint64_t{4095}, block_size, block_size}};
    const auto place = [&](std::uint64_t offset, std::uint64_t size, std::size_t payload) {
      auto pages = std::make_shared<Record>();
      pages->header.kind = layout::RecordKind::pages;
      pages->places = {{offset, size}};
      pages->payload = std::make_shared<const Bytes>(payload);
      return pages;
    };
    for (const auto& [offset, size, payload] : cases) {
      Log one = make();
      scan(one);
      one.append(place(offset, size, payload), 1);
      write(one);
      EXPECT_TRUE(scan().records.empty()) << offset << ' ' << size;
    }
    Log one = make();
    scan(one);
    one.append(place(disk_.size() - 2 * block_size, 2 * block_size, 2 * block_size), 1);
    write(one);
    EXPECT_EQ(scan().records.size(), 1u) << "the last blocks of the device are as good as any";
  });
}

}  // namespace
}  // namespace parapet::store
