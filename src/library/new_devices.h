// Device directories that are being made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "parapet/pool.h"

namespace parapet::library {

/// Makes device directories, and removes what it made, unless it is to be kept.
class NewDevices {
 public:
  NewDevices() = default;
  NewDevices(const NewDevices&) = delete;
  NewDevices& operator=(const NewDevices&) = delete;
  ~NewDevices();

  Result<void, PoolError> make(std::span<const std::string> directories, std::uint64_t size);
  void keep() { made_.clear(); }

 private:
  struct Made {
    std::string path;
    bool directory;  ///< It was not there before.
    bool device;     ///< It is a file that was not there before.
  };
  std::vector<Made> made_;
};

}  // namespace parapet::library
