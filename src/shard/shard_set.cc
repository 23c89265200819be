#include "shard/shard_set.h"

#include <dirent.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <tuple>

#include "base/try.h"
#include "shard/chunk_size.h"
#include "shard/slice.h"

namespace parapet::shard {

/// A file with an intact header.
struct Candidate {
  std::string name;
  layout::ShardHeader header;
  PosixFile file;
  std::uint64_t size = 0;
};

namespace {

using Candidates = std::vector<Candidate>;

FileResult<std::vector<std::string>> visible_names(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), ::closedir);
  if (!stream) return os_error("open", directory, errno);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get()))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  if (errno != 0) return os_error("read", directory, errno);
  std::ranges::sort(names);
  return names;
}

/// Looks at one file. Files that neither are named nor begin like a shard are nobody's business.
void inspect(const std::string& directory, const std::string& name, Candidates& candidates,
             std::vector<Finding>& findings) {
  const auto named = index_of_name(name);
  const auto note = [&](FindingKind kind, std::string text) {
    findings.push_back({kind, name, named, std::move(text)});
  };
  auto file = PosixFile::open(directory + "/" + name);
  if (!file) {
    if (named) note(FindingKind::unreadable, file.error().text());
    return;
  }
  const auto size = file->size();
  layout::HeaderBlock block{};
  const std::size_t length = std::min<std::uint64_t>(size.value_or(0), block.size());
  if (const auto read = file->read(0, std::span(block).first(length)); !read) {
    if (named) note(FindingKind::unreadable, read.error().text());
    return;
  }
  const auto header = layout::decode_header(std::span(block).first(length));
  if (header) {
    candidates.push_back({name, *header, std::move(*file), *size});
  } else if (header.error().code == ErrorCode::unsupported) {
    findings.push_back({FindingKind::foreign, name, std::nullopt, header.error().message()});
  } else if (named || layout::has_shard_magic(std::span(block).first(length))) {
    note(FindingKind::bad_header, header.error().message());
  }
}

layout::ShardHeader identity_of(const Candidate& candidate) {
  layout::ShardHeader header = candidate.header;
  header.index = 0;
  return header;
}

ChunkSet indices_of(const Candidates& group) {
  ChunkSet indices;
  for (const Candidate& candidate : group) indices.insert(candidate.header.index);
  return indices;
}

/// The candidates by set, those with most distinct shards first.
std::vector<Candidates> group_by_set(Candidates candidates) {
  std::vector<Candidates> groups;
  for (Candidate& candidate : candidates) {
    const auto same = [&](const Candidates& group) { return identity_of(group.front()) == identity_of(candidate); };
    auto group = std::ranges::find_if(groups, same);
    if (group == groups.end()) group = groups.emplace(groups.end());
    group->push_back(std::move(candidate));
  }
  const auto shard_count = [](const Candidates& group) { return indices_of(group).count(); };
  std::ranges::stable_sort(groups, std::ranges::greater{}, shard_count);
  return groups;
}

FileError no_set(const std::string& directory, const std::vector<Finding>& findings) {
  return {{.code = ErrorCode::not_found, .operation = "open", .reason = "there is no readable shard"},
          directory,
          findings.empty() ? "" : findings.front().message()};
}

FileError two_sets(const std::string& directory, const Candidates& one, const Candidates& other) {
  return {{.code = ErrorCode::invalid_argument,
           .operation = "open",
           .reason = "there are {} shards each of two sets; move one set elsewhere",
           .values = {indices_of(one).count()}},
          directory,
          one.front().header.set_id.text() + " and " + other.front().header.set_id.text()};
}

}  // namespace

std::string shard_name(unsigned index) { return fmt::format("shard-{:03}.parapet", index); }

std::optional<unsigned> index_of_name(const std::string& name) {
  for (unsigned index = 0; index < chunk_count_max; ++index)
    if (name == shard_name(index)) return index;
  return std::nullopt;
}

Result<SetFormat> SetFormat::make(layout::ShardHeader header) {
  header.index = 0;
  PARAPET_TRY(Code code, Code::parse(header.code));
  const layout::Rows rows = rows_of(code);
  if (code.text() != header.code || code.k() != header.k || code.m() != header.m || code.alpha() != header.alpha ||
      rows.granule() != header.granule_size)
    return Error{.code = ErrorCode::unsupported,
                 .operation = "open",
                 .reason = "the shards' headers do not agree with the code that they name"};
  const layout::Striping striping(header);
  return SetFormat{std::move(header), std::move(code), rows, striping};
}

std::size_t SetFormat::slice_length() const { return slice_length_max(code.n(), rows, header.unit_size); }

unsigned SetFormat::worker_count(unsigned wanted) const {
  return worker_count_max(wanted, code.n(), rows, slice_length());
}

FileResult<ShardSet> ShardSet::open(const std::string& directory) {
  PARAPET_TRY(const std::vector<std::string> names, visible_names(directory));
  Candidates candidates;
  std::vector<Finding> findings;
  for (const std::string& name : names) inspect(directory, name, candidates, findings);
  std::vector<Candidates> groups = group_by_set(std::move(candidates));
  if (groups.empty()) return no_set(directory, findings);
  if (groups.size() > 1 && indices_of(groups[0]).count() == indices_of(groups[1]).count())
    return two_sets(directory, groups[0], groups[1]);

  PARAPET_TRY(SetFormat format, about(directory, SetFormat::make(groups[0].front().header)));
  for (std::size_t i = 1; i < groups.size(); ++i)
    for (const Candidate& candidate : groups[i])
      findings.push_back(
          {FindingKind::foreign, candidate.name, std::nullopt,
           "it is shard " + std::to_string(candidate.header.index) + " of set " + candidate.header.set_id.text()});
  ShardSet set(directory, std::move(format), std::move(findings));
  set.add_shards(std::move(groups[0]));
  return set;
}

ShardSet::ShardSet(std::string directory, SetFormat format, std::vector<Finding> findings)
    : directory_(std::move(directory)),
      format_(std::move(format)),
      shards_(format_.code.n()),
      findings_(std::move(findings)) {}

/// Of several files for one shard the one of the right size is taken, then the one with the right name.
void ShardSet::add_shards(Candidates candidates) {
  const auto rank = [&](const Candidate& candidate) {
    return std::tuple(candidate.header.index, candidate.size != format_.striping.shard_size(),
                      candidate.name != shard_name(candidate.header.index));
  };
  std::ranges::stable_sort(candidates, {}, rank);
  for (Candidate& candidate : candidates) {
    const unsigned index = candidate.header.index;
    if (shards_[index]) {
      findings_.push_back({FindingKind::duplicate, candidate.name, index,
                           fmt::format("shard {} is taken from {}", index, printable(shards_[index]->name))});
      continue;
    }
    shards_[index] = Shard{std::move(candidate.name), std::move(candidate.file), candidate.size,
                           layout::BlockChecksums(format_.header.set_id, index)};
    note_flaws(index);
  }
  note_missing();
}

void ShardSet::note_flaws(unsigned index) {
  const Shard& shard = *shards_[index];
  const std::uint64_t size = format_.striping.shard_size();
  const std::string sizes = fmt::format("it has {} bytes instead of {}", shard.size, size);
  if (shard.size < size) findings_.push_back({FindingKind::truncated, shard.name, index, sizes});
  if (shard.size > size) findings_.push_back({FindingKind::too_long, shard.name, index, sizes});
  if (shard.name != shard_name(index))
    findings_.push_back({FindingKind::wrong_name, shard.name, index, fmt::format("it is shard {}", index)});
}

/// A shard whose own file has been found bad is not reported a second time.
void ShardSet::note_missing() {
  for (unsigned index = 0; index < shards_.size(); ++index) {
    const auto named = [&](const Finding& finding) {
      return finding.index == index &&
             (finding.kind == FindingKind::unreadable || finding.kind == FindingKind::bad_header);
    };
    if (!shards_[index] && std::ranges::none_of(findings_, named))
      findings_.push_back({FindingKind::missing, "", index, ""});
  }
}

ChunkSet ShardSet::available(std::uint64_t stripe) const {
  ChunkSet set;
  for (unsigned index = 0; index < shards_.size(); ++index)
    if (shards_[index] && shards_[index]->size >= format_.striping.stripe_end(stripe)) set.insert(index);
  return set;
}

ChunkSet ShardSet::whole() const {
  ChunkSet set;
  for (unsigned index = 0; index < shards_.size(); ++index)
    if (shards_[index] && shards_[index]->size == format_.striping.shard_size()) set.insert(index);
  return set;
}

FileError too_many_losses(std::string subject, const char* operation, const ShardSet& set, const ChunkSet& available) {
  const Code& code = set.format().code;
  const ChunkSet lost = ChunkSet::range(0, code.n()) - available;
  // As many as k do not always suffice: codes that are not MDS bear some patterns of m losses only.
  const bool too_few = available.count() < code.k();
  return {{.code = ErrorCode::too_many_losses,
           .operation = operation,
           .reason = too_few ? "{} of {} shards are lost, {} are needed"
                             : "{} of {} shards are lost; the code bears any {}, but not these",
           .values = {lost.count(), code.n(), too_few ? code.k() : code.tolerance()}},
          std::move(subject),
          fmt::format("lost: {}", fmt::join(lost, ", "))};
}

}  // namespace parapet::shard
