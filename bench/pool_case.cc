#include "bench/pool_case.h"

#include <fmt/format.h>

namespace parapet::bench {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
/// What the machine gives at most to a thread that reads or writes on, by trial.
constexpr unsigned sequential_depth = 4;

Group durable_group(const Code& code, unsigned thread_count, double share) {
  const Load raw{.kind = Load::Kind::write_durable};
  const Load ceiling{.kind = Load::Kind::write_durable, .width = code.m() + 1, .depth = thread_count};
  Load after_read = ceiling;
  after_read.after_read = true;
  return {.references = {{fmt::format("ceiling, {} at once", thread_count), ceiling, true},
                         {"raw 4 KiB durable", raw},
                         {fmt::format("ceiling after a read, {} at once", thread_count), after_read, true}},
          .pool_case = {.key = fmt::format("durable_{}", thread_count),
                        .title = fmt::format("4 KiB durable, {} writer{}", thread_count, thread_count == 1 ? "" : "s"),
                        .thread_count = thread_count,
                        .flush_each = true},
          .floors = {{0, share}},
          .own_accesses = 2,
          .rate_in_memory = std::nullopt};
}

Group large_durable_group(const Code& code) {
  const Load raw{.kind = Load::Kind::write_durable, .size = 128 * kib};
  Load own = raw;
  own.width = code.m() + 1;
  own.after_read = true;
  return {.references = {{"raw 128 KiB durable", raw},
                         {fmt::format("{} times 128 KiB durable after a read", own.width), own, true}},
          .pool_case = {.key = "durable_128k",
                        .title = "128 KiB durable, 1 writer",
                        .item_size = 128 * kib,
                        .flush_each = true},
          .floors = {{0, 0.4}},
          .own_accesses = 1,
          .rate_in_memory = std::nullopt};
}

Group unflushed_group(unsigned thread_count) {
  return {.references = {{"raw 4 KiB, depth 16", {.kind = Load::Kind::write, .depth = 16}}},
          .pool_case = {.key = "unflushed",
                        .title = fmt::format("4 KiB, one flush, {} writers", thread_count),
                        .thread_count = thread_count},
          .floors = {{0, 0.25}},
          .own_accesses = std::nullopt,
          .rate_in_memory = 40000};
}

/// The faster one of one access at a time and several.
std::vector<Reference> sequential_references(const std::string& title, Load::Kind kind, std::size_t size) {
  Load load{.kind = kind, .sequential = true, .size = size};
  std::vector<Reference> references{{title + ", depth 1", load}};
  load.depth = sequential_depth;
  references.push_back({fmt::format("{}, depth {}", title, sequential_depth), load});
  return references;
}

Group append_group(const Code& code) {
  const double share = 0.55 * code.k() / code.n();
  auto references =
      sequential_references(fmt::format("raw {} MiB writes", code.k()), Load::Kind::write, mib * code.k());
  references.push_back({fmt::format("{} durable writes of 1 MiB", code.n()),
                        {.kind = Load::Kind::write_durable, .sequential = true, .size = mib, .width = code.n()},
                        true});
  return {.references = std::move(references),
          .pool_case = {.key = "append",
                        .title = fmt::format("new segments of {} MiB", code.k()),
                        .kind = PoolCase::Kind::append,
                        .item_size = mib * code.k()},
          .floors = {{0, share}, {1, share}},
          .own_accesses = 2,
          .rate_in_memory = std::nullopt};
}

Group scan_group(const Code& code) {
  auto references = sequential_references("raw 1 MiB reads", Load::Kind::read, mib);
  references.push_back({fmt::format("{} reads of {} KiB", code.k(), mib / code.k() / kib),
                        {.kind = Load::Kind::read, .sequential = true, .size = mib / code.k(), .width = code.k()},
                        true});
  return {.references = std::move(references),
          .pool_case = {.key = "scan", .title = "1 MiB reads", .kind = PoolCase::Kind::scan, .item_size = mib},
          .floors = {{0, 0.8}, {1, 0.8}},
          .own_accesses = 2,
          .rate_in_memory = std::nullopt};
}

}  // namespace

std::vector<Group> pool_groups(const Code& code, unsigned thread_count) {
  return {durable_group(code, 1, 0.7), durable_group(code, thread_count, 0.6),
          large_durable_group(code),   unflushed_group(thread_count),
          append_group(code),          scan_group(code)};
}

}  // namespace parapet::bench
