// For tests: what every Disk and its World must do, as tests over any implementation (see conformance_harness.h).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "env/conformance_harness.h"
#include "env/io_batch.h"

namespace parapet::env {

inline constexpr std::size_t block_size = io_alignment;

inline IoBuffer random_buffer(std::size_t size, std::uint64_t seed) {
  IoBuffer buffer(size);
  base::Prng(seed).fill(buffer.data(), size);
  return buffer;
}

inline IoBuffer zero_buffer(std::size_t size) {
  IoBuffer buffer(size);
  std::ranges::fill(buffer.span(), std::uint8_t{0});
  return buffer;
}

/// Compares without printing megabytes.
inline ::testing::AssertionResult same_bytes(const IoBuffer& actual, const IoBuffer& expected) {
  const auto [a, b] = std::ranges::mismatch(actual.span(), expected.span());
  if (a == actual.span().end() && b == expected.span().end()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "first different at byte " << a - actual.span().begin() << " of "
                                       << expected.size();
}

inline void expect_good(const Result<void>& result) { EXPECT_TRUE(result.has_value()) << result.error().message(); }

inline void write_now(World& world, Disk& disk, std::uint64_t offset, const IoBuffer& from) {
  IoBatch batch(world);
  batch.write(disk, offset, from);
  batch.run();
  expect_good(batch.first_error());
}

inline IoBuffer read_now(World& world, Disk& disk, std::uint64_t offset, std::size_t size) {
  IoBuffer into = random_buffer(size, 99);
  IoBatch batch(world);
  batch.read(disk, offset, into);
  batch.run();
  expect_good(batch.first_error());
  return into;
}

template <DiskHarness Harness>
class DiskConformance : public ConformanceTest<Harness> {};

TYPED_TEST_SUITE_P(DiskConformance);

TYPED_TEST_P(DiskConformance, HasTheSizeThatItWasMadeWith) {
  this->run([&] {
    const auto disk = this->make_disk(17 * block_size);
    EXPECT_EQ(disk->size(), 17 * block_size);
    EXPECT_FALSE(disk->name().empty());
  });
}

TYPED_TEST_P(DiskConformance, AFreshDiskReadsZeros) {
  this->run([&] {
    const auto disk = this->make_disk(1 << 20);
    EXPECT_TRUE(same_bytes(read_now(this->world(), *disk, 0, 1 << 20), zero_buffer(1 << 20)));
  });
}

TYPED_TEST_P(DiskConformance, ReadsBackWhatWasWrittenAtAnyOffsetAndSize) {
  this->run([&] {
    constexpr std::uint64_t disk_size = 8 << 20;
    const auto disk = this->make_disk(disk_size);
    for (const std::size_t size : {4u << 10, 8u << 10, 12u << 10, 64u << 10, 1u << 20, 4u << 20}) {
      for (const std::uint64_t offset :
           {std::uint64_t{0}, std::uint64_t{4096}, std::uint64_t{1028096}, disk_size - size}) {
        const IoBuffer written = random_buffer(size, offset + size);
        write_now(this->world(), *disk, offset, written);
        EXPECT_TRUE(same_bytes(read_now(this->world(), *disk, offset, size), written)) << offset << ' ' << size;
      }
    }
  });
}

TYPED_TEST_P(DiskConformance, AWriteChangesNothingBesideIt) {
  this->run([&] {
    const auto disk = this->make_disk(5 * block_size);
    const IoBuffer before = random_buffer(5 * block_size, 1);
    write_now(this->world(), *disk, 0, before);
    const IoBuffer middle = random_buffer(block_size, 2);
    write_now(this->world(), *disk, 2 * block_size, middle);
    const IoBuffer after = read_now(this->world(), *disk, 0, 5 * block_size);
    EXPECT_TRUE(same_bytes(after.part(0, 2 * block_size), before.part(0, 2 * block_size)));
    EXPECT_TRUE(same_bytes(after.part(2 * block_size, block_size), middle));
    EXPECT_TRUE(same_bytes(after.part(3 * block_size, 2 * block_size), before.part(3 * block_size, 2 * block_size)));
  });
}

TYPED_TEST_P(DiskConformance, PartsOfABufferAreWrittenAndReadInPlace) {
  this->run([&] {
    const auto disk = this->make_disk(2 * block_size);
    const IoBuffer written = random_buffer(2 * block_size, 1);
    write_now(this->world(), *disk, 0, written.part(block_size, block_size));
    IoBuffer into = zero_buffer(3 * block_size);
    IoBatch batch(this->world());
    batch.read(*disk, 0, into.part(block_size, block_size));
    batch.run();
    expect_good(batch.first_error());
    EXPECT_TRUE(same_bytes(into.part(0, block_size), zero_buffer(block_size)));
    EXPECT_TRUE(same_bytes(into.part(block_size, block_size), written.part(block_size, block_size)));
    EXPECT_TRUE(same_bytes(into.part(2 * block_size, block_size), zero_buffer(block_size)));
  });
}

TYPED_TEST_P(DiskConformance, AnEmptyBatchIsDone) {
  this->run([&] {
    IoBatch batch(this->world());
    batch.run();
    EXPECT_EQ(batch.size(), 0u);
    expect_good(batch.first_error());
  });
}

TYPED_TEST_P(DiskConformance, EmptyOperationsAreDone) {
  this->run([&] {
    const auto disk = this->make_disk(block_size);
    IoBatch batch(this->world());
    batch.read(*disk, block_size, {});
    batch.write(*disk, 0, {});
    batch.write_durable(*disk, 0, {});
    batch.run();
    expect_good(batch.first_error());
  });
}

TYPED_TEST_P(DiskConformance, ABatchTakesMoreOperationsThanAnyQueueIsDeep) {
  this->run([&] {
    constexpr std::size_t count = 3000;
    const auto disk = this->make_disk(count * block_size);
    const IoBuffer written = random_buffer(count * block_size, 3);
    IoBatch writes(this->world());
    for (std::size_t i = count; i-- > 0;) writes.write(*disk, i * block_size, written.part(i * block_size, block_size));
    writes.run();
    expect_good(writes.first_error());

    IoBuffer into = zero_buffer(count * block_size);
    IoBatch reads(this->world());
    for (std::size_t i = 0; i < count; ++i) reads.read(*disk, i * block_size, into.part(i * block_size, block_size));
    reads.run();
    expect_good(reads.first_error());
    EXPECT_TRUE(same_bytes(into, written));
  });
}

TYPED_TEST_P(DiskConformance, ABatchInPartsDoesAllOfIt) {
  this->run([&] {
    constexpr std::size_t count = 50;
    const auto disk = this->make_disk(2 * count * block_size);
    for (const std::size_t part_size : {std::size_t{1}, 3 * block_size, count * block_size, ~std::size_t{0}}) {
      IoBatch writes(this->world()), reads(this->world());
      std::vector<IoBuffer> written, read;
      for (std::size_t i = 0; i < count; ++i) {
        written.push_back(random_buffer(block_size, i + part_size));
        writes.write(*disk, 2 * i * block_size, written.back());
        reads.read(*disk, 2 * i * block_size, read.emplace_back(block_size));
      }
      writes.run_in_parts(part_size);
      reads.run_in_parts(part_size);
      for (std::size_t i = 0; i < count; ++i) {
        expect_good(writes.result(i));
        expect_good(reads.result(i));
        EXPECT_TRUE(same_bytes(read[i], written[i])) << i;
      }
    }
  });
}

TYPED_TEST_P(DiskConformance, DurableWritesAndFlushesSucceed) {
  this->run([&] {
    const auto disk = this->make_disk(1 << 20);
    const IoBuffer written = random_buffer(1 << 19, 4);
    IoBatch writes(this->world());
    writes.write_durable(*disk, 0, written.part(0, block_size));
    writes.write(*disk, block_size, written.part(block_size, block_size));
    writes.write_durable(*disk, 2 * block_size, written.part(2 * block_size, (1 << 19) - 2 * block_size));
    writes.run();
    for (std::size_t i = 0; i < writes.size(); ++i) expect_good(writes.result(i));
    IoBatch flush(this->world());
    flush.flush(*disk);
    flush.run();
    expect_good(flush.first_error());
    EXPECT_TRUE(same_bytes(read_now(this->world(), *disk, 0, 1 << 19), written));
  });
}

TYPED_TEST_P(DiskConformance, ABatchGoesOverTwoDisks) {
  this->run([&] {
    const auto first = this->make_disk(1 << 20);
    const auto second = this->make_disk(1 << 20);
    IoBatch writes(this->world());
    writes.write(*first, 0, random_buffer(1 << 16, 5));
    writes.write_durable(*second, 0, random_buffer(1 << 16, 6));
    writes.run();
    expect_good(writes.first_error());
    IoBatch mixed(this->world());
    const IoBuffer from_first(1 << 16), from_second(1 << 16);
    mixed.read(*second, 0, from_second);
    mixed.flush(*first);
    mixed.read(*first, 0, from_first);
    mixed.flush(*second);
    mixed.run();
    expect_good(mixed.first_error());
    EXPECT_TRUE(same_bytes(from_first, random_buffer(1 << 16, 5)));
    EXPECT_TRUE(same_bytes(from_second, random_buffer(1 << 16, 6)));
  });
}

TYPED_TEST_P(DiskConformance, ManyThreadsReadStableData) {
  this->run([&] {
    constexpr std::size_t size = 1 << 20;
    const auto disk = this->make_disk(size);
    const IoBuffer written = random_buffer(size, 7);
    write_now(this->world(), *disk, 0, written);
    std::vector<std::unique_ptr<Thread>> threads;
    for (std::uint64_t t = 0; t < 6; ++t)
      threads.push_back(this->world().start_thread("reader", [&, t] {
        base::Prng random(t);
        for (int i = 0; i < 40; ++i) {
          const std::size_t first = random.below(size / block_size);
          const std::size_t count = 1 + random.below(size / block_size - first);
          EXPECT_TRUE(same_bytes(read_now(this->world(), *disk, first * block_size, count * block_size),
                                 written.part(first * block_size, count * block_size)));
        }
      }));
    threads.clear();
  });
}

TYPED_TEST_P(DiskConformance, ManyThreadsWriteTheirOwnBlocks) {
  this->run([&] {
    constexpr std::size_t thread_count = 6, blocks_each = 30;
    const auto disk = this->make_disk(thread_count * blocks_each * block_size);
    std::vector<std::unique_ptr<Thread>> threads;
    for (std::size_t t = 0; t < thread_count; ++t)
      threads.push_back(this->world().start_thread("writer", [&, t] {
        for (std::size_t i = 0; i < blocks_each; ++i) {
          const std::size_t block = i * thread_count + t;
          write_now(this->world(), *disk, block * block_size, random_buffer(block_size, block));
        }
      }));
    threads.clear();
    for (std::size_t block = 0; block < thread_count * blocks_each; ++block)
      EXPECT_TRUE(
          same_bytes(read_now(this->world(), *disk, block * block_size, block_size), random_buffer(block_size, block)));
  });
}

TYPED_TEST_P(DiskConformance, ADeadlineFarAheadGivesNothingUp) {
  this->run([&] {
    const auto disk = this->make_disk(1 << 20);
    const IoBuffer written = random_buffer(1 << 20, 8);
    IoBatch writes(this->world());
    for (std::size_t at = 0; at < 1 << 20; at += 1 << 16) writes.write_durable(*disk, at, written.part(at, 1 << 16));
    writes.run(this->world().now() + std::chrono::hours(1));
    expect_good(writes.first_error());
    EXPECT_TRUE(same_bytes(read_now(this->world(), *disk, 0, 1 << 20), written));
  });
}

/// Starts `count` reads with a deadline that has passed, and looks at their results.
inline void give_up_reads(World& world, Disk& disk, std::size_t count) {
  IoBatch batch(world);
  for (std::size_t i = 0; i < count; ++i) batch.read(disk, i * io_alignment, IoBuffer(io_alignment));
  batch.run(world.now() - std::chrono::nanoseconds(1));
  for (std::size_t i = 0; i < count; ++i) {
    const Result<void> result = batch.result(i);
    if (result.has_value()) continue;
    EXPECT_EQ(result.error().code, ErrorCode::io_failed);
    EXPECT_EQ(result.error().os_errno, ETIMEDOUT) << result.error().message();
  }
}

TYPED_TEST_P(DiskConformance, OperationsThatWereGivenUpDoNotDisturbLaterOnes) {
  this->run([&] {
    constexpr std::size_t blocks = 1000;
    const auto disk = this->make_disk(blocks * block_size);
    for (std::uint64_t round = 0; round < 20; ++round) {
      give_up_reads(this->world(), *disk, round % 2 == 0 ? 1 : blocks);
      const IoBuffer written = random_buffer(4 * block_size, round);
      write_now(this->world(), *disk, round * block_size, written);
      EXPECT_TRUE(same_bytes(read_now(this->world(), *disk, round * block_size, 4 * block_size), written));
    }
  });
}

TYPED_TEST_P(DiskConformance, AThreadMayEndAfterItGaveOperationsUp) {
  this->run([&] {
    const auto disk = this->make_disk(100 * block_size);
    for (int i = 0; i < 10; ++i)
      this->world().start_thread("hasty", [&] { give_up_reads(this->world(), *disk, 100); }).reset();
    EXPECT_TRUE(same_bytes(read_now(this->world(), *disk, 0, 100 * block_size), zero_buffer(100 * block_size)));
  });
}

REGISTER_TYPED_TEST_SUITE_P(DiskConformance, ABatchInPartsDoesAllOfIt, HasTheSizeThatItWasMadeWith,
                            AFreshDiskReadsZeros, ReadsBackWhatWasWrittenAtAnyOffsetAndSize,
                            AWriteChangesNothingBesideIt, PartsOfABufferAreWrittenAndReadInPlace, AnEmptyBatchIsDone,
                            EmptyOperationsAreDone, ABatchTakesMoreOperationsThanAnyQueueIsDeep,
                            DurableWritesAndFlushesSucceed, ABatchGoesOverTwoDisks, ManyThreadsReadStableData,
                            ManyThreadsWriteTheirOwnBlocks, ADeadlineFarAheadGivesNothingUp,
                            OperationsThatWereGivenUpDoNotDisturbLaterOnes, AThreadMayEndAfterItGaveOperationsUp);

}  // namespace parapet::env
