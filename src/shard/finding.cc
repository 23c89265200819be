#include "shard/finding.h"

#include <fmt/format.h>

#include "shard/file_error.h"

namespace parapet::shard {

std::string_view kind_text(FindingKind kind) {
  switch (kind) {
    case FindingKind::missing:
      return "missing";
    case FindingKind::unreadable:
      return "unreadable";
    case FindingKind::bad_header:
      return "bad-header";
    case FindingKind::truncated:
      return "truncated";
    case FindingKind::too_long:
      return "too-long";
    case FindingKind::wrong_name:
      return "wrong-name";
    case FindingKind::duplicate:
      return "duplicate";
    case FindingKind::foreign:
      return "foreign";
    case FindingKind::rotten:
      return "rotten";
    case FindingKind::parity_mismatch:
      return "parity-mismatch";
  }
  return "";
}

std::string Finding::message() const {
  const std::string subject = file.empty() ? fmt::format("shard {}", index.value_or(0)) : printable(file);
  if (text.empty()) return fmt::format("{}: {}", subject, kind_text(kind));
  return fmt::format("{}: {}: {}", subject, kind_text(kind), text);
}

}  // namespace parapet::shard
