// For tests of the log: one on a simulated disk, appended to and scanned.
#pragma once

#include "store/log.h"

#include <gtest/gtest.h>

#include "store/store_testing.h"

namespace parapet::store {

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
    record->payload = shared_bytes(payload);
    return record;
  }
  void write(Log& log) {
    env::IoBatch io(world_);
    log.close_batch();
    log.write_batch(io);
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
  Log::Scan scan(Log& log, Lsn head = 0, Lsn flushed = 0, std::uint32_t ballot = 0) {
    auto result = log.scan(world_, head, flushed, ballot);
    EXPECT_TRUE(good(result));
    return result ? *result : Log::Scan();
  }
  Log::Scan scan(Lsn head = 0, Lsn flushed = 0, std::uint32_t ballot = 0) {
    Log log = make();
    return scan(log, head, flushed, ballot);
  }
  static Lsn drop_freeable(Log& log) {
    std::vector<RecordPtr> dropped;
    return log.drop_freeable(dropped);
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

inline void expect_same(const std::vector<RecordPtr>& actual, const std::vector<RecordPtr>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i]->header.lsn, expected[i]->header.lsn) << i;
    EXPECT_EQ(actual[i]->header.id, expected[i]->header.id) << i;
    EXPECT_EQ(actual[i]->header.segment, expected[i]->header.segment) << i;
    EXPECT_EQ(actual[i]->checksums, expected[i]->checksums) << i;
    EXPECT_EQ(actual[i]->places, expected[i]->places) << i;
    EXPECT_TRUE(std::ranges::equal(actual[i]->payload.span(), expected[i]->payload.span())) << i;
  }
}

}  // namespace parapet::store
