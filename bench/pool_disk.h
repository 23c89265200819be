// A disk that counts what is written to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "env/disk.h"

namespace parapet::bench {

/// What was written since the disk was opened.
struct Written {
  std::uint64_t bytes = 0;
  std::uint64_t log_bytes = 0;  ///< Of them, those in the log.
};

/// Hands everything on to `inner`, which outlives it.
class CountedDisk final : public env::Disk {
 public:
  explicit CountedDisk(env::Disk& inner) : inner_(inner) {}

  /// Where the device's log lies, once there is one.
  void set_log(std::uint64_t offset, std::uint64_t size) {
    log_begin_ = offset;
    log_end_ = offset + size;
  }
  [[nodiscard]] Written written() const { return {bytes_, log_bytes_}; }

  [[nodiscard]] std::uint64_t size() const override { return inner_.size(); }
  [[nodiscard]] const std::string& name() const override { return inner_.name(); }
  void start(const std::shared_ptr<env::IoSet>& set, std::size_t index) override {
    const env::Io& io = set->ios[index];
    if (io.kind == env::Io::Kind::write || io.kind == env::Io::Kind::write_durable) {
      bytes_ += io.buffer.size();
      if (io.offset >= log_begin_ && io.offset < log_end_) log_bytes_ += io.buffer.size();
    }
    inner_.start(set, index);
  }

 private:
  env::Disk& inner_;
  std::uint64_t log_begin_ = 0;
  std::uint64_t log_end_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> log_bytes_ = 0;
};

}  // namespace parapet::bench
