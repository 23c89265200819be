#include "store/log.h"

#include "store/log_testing.h"

namespace parapet::store {
namespace {

TEST_F(LogTest, AFreshLogIsEmpty) {
  run([&] {
    Log log = make();
    const auto found = scan(log);
    EXPECT_TRUE(found.records.empty());
    EXPECT_FALSE(found.damaged);
    EXPECT_EQ(log.free_size(), ring_size);
    EXPECT_EQ(log.used_size(), 0u);
    EXPECT_EQ(log.size(), ring_size);
  });
}

TEST_F(LogTest, RecordsComeBackAsTheyWereAppended) {
  run([&] {
    Log log = make();
    scan(log);
    std::vector<RecordPtr> all;
    for (std::uint64_t i = 1; i <= 3; ++i) log.append(all.emplace_back(record(100 * i, i)), 4);
    auto pages = std::make_shared<Record>();
    pages->header.kind = layout::RecordKind::pages;
    pages->places = {{30 * block_size, block_size}, {40 * block_size, 2 * block_size}};
    pages->payload = shared_bytes(Bytes(3 * block_size, 7));
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
          log.set_head(drop_freeable(log));
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
    EXPECT_EQ(drop_freeable(log), first->size());
    log.set_head(first->size());
    EXPECT_EQ(log.free_size(), ring_size - 2 * block_size) << "the head's block is still in use";
    for (const RecordPtr& live : log.live()) live->freeable_from = 0;
    log.set_head(drop_freeable(log));
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
    EXPECT_EQ(drop_freeable(log), 0u);
    EXPECT_EQ(log.live().size(), 3u);
    all[0]->freeable_from = 0;
    EXPECT_EQ(drop_freeable(log), 2 * block_size);
    EXPECT_EQ(log.live().size(), 1u);
    all[2]->freeable_from = 0;
    log.append(all.emplace_back(record(100, 4)), 1);
    all[3]->freeable_from = 0;
    EXPECT_EQ(drop_freeable(log), 3 * block_size) << "the end of what is durable";
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
    EXPECT_EQ(drop_freeable(log), 0u);
    write(log);
    EXPECT_EQ(drop_freeable(log), successor->header.lsn);
  });
}

TEST_F(LogTest, TheSameWritesCanBeRepeated) {
  run([&] {
    Log log = make();
    scan(log);
    append(log, 14 * block_size, 1);
    log.live().front()->freeable_from = 0;
    log.set_head(drop_freeable(log));
    const RecordPtr around = record(3 * block_size, 2);
    log.append(around, 1);
    disk_.faults().add({.kind = simenv::FaultKind::write_error, .times = 2});
    env::IoBatch failing(world_);
    ASSERT_TRUE(log.close_batch());
    log.write_batch(failing);
    EXPECT_EQ(failing.size(), 2u) << "the end of the ring, and its beginning";
    failing.run();
    EXPECT_FALSE(failing.first_error());
    overwrite(around->header.lsn, block_size);
    env::IoBatch again(world_);
    log.write_batch(again);
    again.run();
    EXPECT_TRUE(good(again.first_error()));
    EXPECT_EQ(log.flushed(), around->header.lsn) << "not before it is said so";
    log.batch_written();
    EXPECT_EQ(log.flushed(), around->header.lsn + 4 * block_size);
    expect_same(scan(log.head(), log.flushed()).records, {around});
  });
}

TEST_F(LogTest, AnEmptyBatchIsNoBatch) {
  run([&] {
    Log log = make();
    scan(log);
    EXPECT_FALSE(log.close_batch());
    log.batch_written();
    EXPECT_EQ(log.flushed(), 0u);
  });
}

TEST_F(LogTest, OnlyOneBatchIsWrittenAtATime) {
  run([&] {
    Log log = make();
    scan(log);
    log.append(record(8, 1), 1);
    log.close_batch();
    log.append(record(8, 2), 1);
    EXPECT_DEATH(log.close_batch(), "");
  });
}

}  // namespace
}  // namespace parapet::store
