// What is wrong with a shard set.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parapet::shard {

enum class FindingKind {
  missing,          ///< No file holds this shard.
  unreadable,       ///< A file named like a shard cannot be opened or read.
  bad_header,       ///< A file named or beginning like a shard has no intact header.
  truncated,        ///< Shorter than a shard of this set; the stripes that are whole are used.
  too_long,         ///< Longer; what is too much is ignored.
  wrong_name,       ///< Named like another shard, or not like one; used as what its header says.
  duplicate,        ///< Another file already stands for this shard; ignored.
  foreign,          ///< Belongs to another set; ignored.
  rotten,           ///< Some of its blocks fail their checksums.
  parity_mismatch,  ///< Parity that passes its checksums, but does not fit the data.
};

/// E.g. "bad-header".
std::string_view kind_text(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::missing;
  std::string file;               ///< Name in the directory; empty when there is none.
  std::optional<unsigned> index;  ///< Of the shard, where known.
  std::string text;               ///< What, in printable words.

  /// One line, e.g. "shard-003.parapet: truncated: it has 4096 of 1056768 bytes".
  [[nodiscard]] std::string message() const;
};

}  // namespace parapet::shard
