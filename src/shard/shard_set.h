// The shards of one set as found in a directory.
//
// Invariants:
// 1. A shard is what its header says, whatever its name.
// 2. All shards have the same header but for the index, and it agrees with `code`.
// 3. Opening changes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout/block_checksum.h"
#include "layout/rows.h"
#include "layout/striping.h"
#include "parapet/codec.h"
#include "shard/finding.h"
#include "shard/posix_file.h"

namespace parapet::shard {

/// "shard-007.parapet".
std::string shard_name(unsigned index);
/// The index that a name stands for.
std::optional<unsigned> index_of_name(const std::string& name);

/// The header of a set's shards with index 0, and what follows from it.
struct SetFormat {
  layout::ShardHeader header;
  Code code;
  layout::Rows rows;
  layout::Striping striping;

  /// Of the slices in which stripes are coded.
  [[nodiscard]] std::size_t slice_length() const;
  /// As many of `wanted` workers as there is room for.
  [[nodiscard]] unsigned worker_count(unsigned wanted) const;

  /// Errors: `invalid_argument` or `unsupported` when the header does not agree with its code.
  static Result<SetFormat> make(layout::ShardHeader header);
};

struct Shard {
  std::string name;  ///< In the directory.
  PosixFile file;
  std::uint64_t size = 0;
  layout::BlockChecksums checksums;
};

class ShardSet {
 public:
  /// Looks at every file of `directory` whose name does not begin with a dot. The set with most shards is taken; the
  /// others' are foreign. Errors: no set there; two with equally many; a header that disagrees with its code; what the
  /// operating system says about the directory.
  static FileResult<ShardSet> open(const std::string& directory);

  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] const SetFormat& format() const { return format_; }
  [[nodiscard]] const std::optional<Shard>& shard(unsigned index) const { return shards_[index]; }
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

  /// The shards that reach to the end of `stripe`.
  [[nodiscard]] ChunkSet available(std::uint64_t stripe) const;
  /// The shards with a file of the right size.
  [[nodiscard]] ChunkSet whole() const;
  [[nodiscard]] std::string path_of(const std::string& name) const { return directory_ + "/" + name; }

 private:
  ShardSet(std::string directory, SetFormat format, std::vector<Finding> findings);
  void add_shards(std::vector<struct Candidate> candidates);
  void note_flaws(unsigned index);
  void note_missing();

  std::string directory_;
  SetFormat format_;
  std::vector<std::optional<Shard>> shards_;
  std::vector<Finding> findings_;
};

/// "3 of 6 shards are lost, 4 are needed (lost: 0, 2, 5)", about `subject`.
FileError too_many_losses(std::string subject, const char* operation, const ShardSet& set, const ChunkSet& available);

}  // namespace parapet::shard
