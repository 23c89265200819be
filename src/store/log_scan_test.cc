// Where scans of a log end.
#include "store/log.h"
#include "store/log_testing.h"

namespace parapet::store {
namespace {

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
    log.set_head(drop_freeable(log));
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

// The stale record was a batch of its own, which knew that all before it was durable: only the ballot of what was
// forgotten tells.
TEST_F(LogTest, AStaleBatchAtTheHeadIsNotTaken) {
  run([&] {
    Log first = make();
    scan(first);
    append(first, one_block, 1, 1);
    const RecordPtr stale = append(first, one_block, 2, 1);
    overwrite(0, block_size);

    Log second = make();
    EXPECT_TRUE(scan(second).records.empty());
    append(second, one_block, 3, 2);
    second.live().front()->freeable_from = 0;
    EXPECT_EQ(drop_freeable(second), stale->header.lsn);
    EXPECT_EQ(second.dropped_ballot(), 2u);
    EXPECT_TRUE(scan(second.flushed(), second.flushed(), second.dropped_ballot()).records.empty());
    const RecordPtr last = append(second, one_block, 4, 2);
    expect_same(scan(stale->header.lsn, second.flushed(), second.dropped_ballot()).records, {last});
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
    EXPECT_EQ(drop_freeable(second), stale->header.lsn);
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
      log.set_head(drop_freeable(log));
    }
    Log late = make();
    const auto found = late.scan(world_, 0, 0, 0);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::corrupt);
  });
}

TEST_F(LogTest, AReadErrorIsAnError) {
  run([&] {
    disk_.faults().add({.kind = simenv::FaultKind::read_error});
    Log log = make();
    const auto found = log.scan(world_, 0, 0, 0);
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
      pages->payload = shared_bytes(Bytes(payload));
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
