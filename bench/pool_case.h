// What the pool benchmark does with a pool, and what it is compared with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/pool_reference.h"
#include "parapet/codec.h"

namespace parapet::bench {

/// One way to use a pool.
struct PoolCase {
  enum class Kind : std::uint8_t {
    overwrite,  ///< Of items chosen by chance, that were written before.
    append,     ///< New segments, written as a whole, one after the other.
    scan,       ///< Reads what was appended, one item after the other.
  };
  std::string key;
  std::string title;
  Kind kind = Kind::overwrite;
  std::size_t item_size = 4096;
  unsigned thread_count = 1;
  bool flush_each = false;
};

/// A load and its name in tables.
struct Reference {
  std::string title;
  Load load;
  bool on_all_devices = false;  ///< Else on one file.
};

/// The share of a reference's rate that is wanted.
struct Floor {
  std::size_t reference = 0;  ///< Which one of the group's.
  double share = 0;
};

/// Loads and a case that take turns.
struct Group {
  std::vector<Reference> references;
  PoolCase pool_case;
  std::vector<Floor> floors;
  std::optional<std::size_t> own_accesses;  ///< The reference that makes the accesses of the case, and nothing else.
  std::optional<double> rate_in_memory;     ///< Wanted, in operations per second, where the devices are memory.
};

/// All of them, for pools with this code.
std::vector<Group> pool_groups(const Code& code, unsigned thread_count);

}  // namespace parapet::bench
