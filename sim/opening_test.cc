// What openings decide about segments when devices come and go, and power fails again and again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/sanitizers.h"
#include "pool/pool.h"
#include "simenv/sim_disk.h"

namespace parapet::sim {
namespace {

using layout::DeviceSet;
using layout::SegmentId;
using store::Bytes;

/// A pool on simulated disks whose power fails when it is asked to.
class Openings : public ::testing::Test {
 protected:
  void make(unsigned device_count, const char* code) {
    world_ = std::make_unique<simenv::SimWorld>(1);
    disks_.clear();
    for (unsigned i = 0; i < device_count; ++i)
      disks_.push_back(std::make_unique<simenv::SimDisk>(*world_, 4 << 20, fmt::format("d{}", i)));
    world_->observe_io([this] {
      if (!ios_left_ || (*ios_left_)-- > 0) return;
      ios_left_.reset();
      for (const auto& disk : disks_) disk->power_off();
      crashed_ = true;
    });
    code_ = code;
  }
  void run(const std::function<void()>& body) {
    world_->run([&] {
      const auto made = pool::Pool::create(*world_, without({}), {code_, 16 << 10, pool::Scheme::fl, 256 << 10});
      ASSERT_TRUE(made) << made.error().message();
      body();
    });
  }
  std::vector<env::Disk*> without(const DeviceSet& absent) {
    std::vector<env::Disk*> present;
    for (unsigned device = 0; device < disks_.size(); ++device)
      if (!absent.contains(device)) present.push_back(disks_[device].get());
    return present;
  }
  Result<std::unique_ptr<pool::Pool>> open(const DeviceSet& absent = {}) {
    return pool::Pool::open(*world_, without(absent), {});
  }
  void fail_power_after(std::uint64_t io_count) { ios_left_ = io_count; }
  /// Whether power has failed since.
  bool restore_power() {
    ios_left_.reset();
    for (const auto& disk : disks_) {
      if (!crashed_) disk->power_off();
      disk->power_on();
    }
    return std::exchange(crashed_, false);
  }

 private:
  const char* code_ = nullptr;
  std::unique_ptr<simenv::SimWorld> world_;
  std::vector<std::unique_ptr<simenv::SimDisk>> disks_;
  std::optional<std::uint64_t> ios_left_;
  bool crashed_ = false;
};

/// All sets of `count` devices of `of`.
std::vector<DeviceSet> sets_of(unsigned count, unsigned of) {
  std::vector<DeviceSet> sets;
  for (unsigned bits = 0; bits < 1u << of; ++bits) {
    DeviceSet set;
    for (unsigned device = 0; device < of; ++device)
      if (bits >> device & 1) set.insert(device);
    if (set.count() == count) sets.push_back(set);
  }
  return sets;
}

// The first absence leaves devices out, the second one takes away those that went on; when all are back, what they went
// on with counts. A device that was left out must not give away its chunk for lack of someone to ask.
TEST_F(Openings, OneAbsenceAfterAnotherLosesNothing) {
  constexpr unsigned devices = 5;
  for (const DeviceSet& first : sets_of(2, devices))
    for (const DeviceSet& second : sets_of(2, devices)) {
      make(devices, "replication(1,2)");
      run([&] {
        SegmentId id;
        std::uint8_t newest = 1;
        {
          auto pool = open();
          ASSERT_TRUE(pool) << pool.error().message();
          id = (*pool)->allocate().value();
          ASSERT_TRUE((*pool)->write(id, 0, Bytes(4096, newest)));
        }
        for (const DeviceSet& absent : {first, second}) {
          auto pool = open(absent);
          ASSERT_TRUE(pool) << pool.error().message();
          Bytes bytes(4096);
          const auto read = (*pool)->read(id, 0, bytes);
          const bool closed = (*pool)->status().closed == std::vector{id};
          ASSERT_EQ(closed, !read) << "an error says that it is closed, and the status, too";
          if (closed) continue;
          EXPECT_EQ(bytes[0], newest);
          ASSERT_TRUE((*pool)->write(id, 0, Bytes(4096, ++newest)));
          ASSERT_TRUE((*pool)->flush());
        }
        auto pool = open();
        ASSERT_TRUE(pool) << pool.error().message();
        Bytes bytes(4096);
        const auto read = (*pool)->read(id, 0, bytes);
        ASSERT_TRUE(read) << "first " << *first.begin() << ", second " << *second.begin() << ": "
                          << read.error().message();
        EXPECT_EQ(bytes[0], newest);
      });
    }
}

// Those who removed it may have been few, and away when the others came back.
TEST_F(Openings, WhatIsRemovedStaysSo) {
  constexpr unsigned devices = 5;
  for (const DeviceSet& first : sets_of(2, devices))
    for (const DeviceSet& second : sets_of(2, devices))
      for (const DeviceSet& third : sets_of(base::has_address_sanitizer ? 0 : 2, devices)) {
        make(devices, "replication(1,2)");
        run([&] {
          SegmentId id;
          {
            auto pool = open();
            ASSERT_TRUE(pool) << pool.error().message();
            id = (*pool)->allocate().value();
          }
          ASSERT_TRUE(open(first));
          bool removed = false;
          {
            auto pool = open(second);
            ASSERT_TRUE(pool) << pool.error().message();
            removed = static_cast<bool>((*pool)->remove(id));
          }
          ASSERT_TRUE(open(third));
          auto pool = open();
          ASSERT_TRUE(pool) << pool.error().message();
          EXPECT_EQ((*pool)->segments().size(), removed ? 0u : 1u)
              << "first " << *first.begin() << ", second " << *second.begin() << ", third " << *third.begin();
        });
      }
}

// Power fails in a removal, again in the opening that brings it to its end, and then a device is away: the segment is
// there as a whole, or gone.
TEST_F(Openings, ARemovalThatIsInterruptedTwiceEndsOneWay) {
  constexpr unsigned devices = 4;
  bool removal_ended = false;
  for (std::uint64_t first = 0; !removal_ended; ++first) {
    bool opening_ended = false;
    for (std::uint64_t second = 0; !opening_ended; ++second) {
      make(devices, "rs(2,2)");
      run([&] {
        {
          auto pool = open();
          ASSERT_TRUE(pool) << pool.error().message();
          const SegmentId id = (*pool)->allocate().value();
          ASSERT_TRUE((*pool)->write(id, 0, Bytes(5000, 3)));
          ASSERT_TRUE((*pool)->flush());
          fail_power_after(first);
          removal_ended = static_cast<bool>((*pool)->remove(id));
        }
        restore_power();
        fail_power_after(second);
        opening_ended = static_cast<bool>(open());
        restore_power();
        const auto away = static_cast<unsigned>((first + second) % devices);
        auto pool = open({away});
        ASSERT_TRUE(pool) << pool.error().message();
        for (SegmentId id : (*pool)->segments()) {
          EXPECT_FALSE(removal_ended);
          const auto verified = (*pool)->verify(id);
          EXPECT_TRUE(verified) << "crashes at " << first << " and " << second << ": " << verified.error().message();
        }
      });
    }
  }
}

}  // namespace
}  // namespace parapet::sim
