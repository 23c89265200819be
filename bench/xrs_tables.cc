#include "bench/xrs_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/try.h"
#include "bench/codec_work.h"
#include "bench/reference.h"

namespace parapet::bench {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// What the original Go libraries reach.
struct Original {
  double rs_gbps;
  double xrs_gbps;
  double time_ratio;
};

/// One line of a table: `count` chunks of `chunk_size` are lost or replaced.
struct Line {
  std::size_t chunk_size;
  unsigned count;
  std::optional<Original> original;
};

// Origin: templexxx/reedsolomon v1.1.3 and templexxx/xrs, Go 1.19, AVX-512, one thread of a Zen 5 core, warm, 12+4,
// thread CPU time, medians; absolutes good to 20 %, ratios to 10 %.
constexpr Line encode_lines[] = {{4 * kib, 0, {{25.2, 19.0, 1.31}}},
                                 {64 * kib, 0, {{17.2, 15.7, 1.10}}},
                                 {1 * mib, 0, {{12.9, 12.7, 1.02}}},
                                 {8 * mib, 0, {{10.1, 8.4, 1.17}}}};
constexpr Line reconstruct_lines[] = {{4 * kib, 1, {{38.4, 9.5, 2.76}}},
                                      {4 * kib, 2, {{26.4, 11.3, 2.34}}},
                                      {4 * kib, 3, {{21.1, 10.9, 1.86}}},
                                      {4 * kib, 4, {{18.5, 9.9, 1.85}}},
                                      {64 * kib, 1, {{56.8, 25.9, 1.47}}},
                                      {64 * kib, 2, {}},
                                      {64 * kib, 3, {}},
                                      {64 * kib, 4, {{19.6, 17.4, 1.13}}},
                                      {1 * mib, 1, {{40.1, 23.6, 1.22}}},
                                      {1 * mib, 2, {}},
                                      {1 * mib, 3, {}},
                                      {1 * mib, 4, {{12.6, 11.8, 1.07}}}};
constexpr Line update_lines[] = {{4 * kib, 1, {{41.4, 30.4, 1.42}}}, {1 * mib, 1, {{49.0, 42.5, 1.18}}}};
constexpr Line replace_lines[] = {{4 * kib, 1, {{92.1, 52.2, 1.79}}}, {4 * kib, 2, {{65.4, 33.2, 1.99}}},
                                  {4 * kib, 3, {{50.1, 24.4, 1.95}}}, {4 * kib, 4, {{44.0, 20.8, 2.07}}},
                                  {4 * kib, 5, {{38.1, 18.7, 2.05}}}, {4 * kib, 6, {{34.9, 16.7, 2.10}}},
                                  {4 * kib, 7, {{33.2, 15.9, 2.07}}}, {4 * kib, 8, {{31.2, 14.9, 2.09}}}};

/// A code and the definition of its bytes.
struct Family {
  Code code;
  void (*encode_reference)(const Stripe&);
};

/// What is timed, and the bytes that one call counts for.
struct Job {
  Work work;
  std::size_t io_bytes;
};

Bytes parity_of(const Family& family, const Stripe& stripe) {
  family.encode_reference(stripe);
  return copy_of(stripe.chunks.data() + stripe.shape.k, stripe.shape.m, stripe.chunk_size);
}

Result<Job, Failure> prepare_encode(const Family& family, const Stripe& stripe, unsigned) {
  const Bytes expected = parity_of(family, stripe);
  std::uint8_t* const* parity = stripe.chunks.data() + stripe.shape.k;
  clear(parity, stripe.shape.m, stripe.chunk_size);
  Work work = encode_work(family.code, {stripe});
  PARAPET_CHECK(expect_output("encode of " + family.code.text(), work, parity, expected, stripe.chunk_size));
  return Job{std::move(work), stripe.shape.n() * stripe.chunk_size};
}

Result<Job, Failure> prepare_reconstruct(const Family& family, const Stripe& stripe, unsigned lost) {
  family.encode_reference(stripe);
  const Bytes expected = copy_of(stripe.chunks.data(), lost, stripe.chunk_size);
  clear(stripe.outputs.data(), lost, stripe.chunk_size);
  Work work = reconstruct_work(family.code, stripe, lost);
  PARAPET_CHECK(
      expect_output("reconstruct of " + family.code.text(), work, stripe.outputs.data(), expected, stripe.chunk_size));
  const auto plan =
      family.code.plan_repair(ChunkSet::range(lost, stripe.shape.n()), ChunkSet::range(0, lost), stripe.chunk_size);
  if (!plan) return plan.error().message();
  return Job{std::move(work), plan->bytes_read() + lost * stripe.chunk_size};
}

/// A work that takes the parity of `start` to that of `stripe`, where both have the same parity chunks.
Result<void, Failure> expect_parity(const std::string& what, const Family& family, const Stripe& start,
                                    const Stripe& stripe, const Work& work) {
  const Bytes expected = parity_of(family, stripe);
  family.encode_reference(start);
  return expect_output(what + " of " + family.code.text(), work, stripe.chunks.data() + stripe.shape.k, expected,
                       stripe.chunk_size);
}

Result<Job, Failure> prepare_update(const Family& family, const Stripe& stripe, unsigned) {
  Stripe start = stripe;
  start.chunks[0] = stripe.outputs[0];
  Work work = update_work(family.code, stripe);
  PARAPET_CHECK(expect_parity("update", family, start, stripe, work));
  return Job{std::move(work), (2 + 2 * stripe.shape.m) * stripe.chunk_size};
}

Result<Job, Failure> prepare_replace(const Family& family, const Stripe& stripe, unsigned count) {
  Bytes zeros(stripe.chunk_size);
  Stripe start = stripe;
  std::fill_n(start.chunks.begin(), count, zeros.data());
  Work work = replace_work(family.code, stripe, count);
  PARAPET_CHECK(expect_parity("replace", family, start, stripe, work));
  return Job{std::move(work), (2 * stripe.shape.m + count) * stripe.chunk_size};
}

struct TablePlan {
  const char* key;
  const char* title;
  const char* note;
  const char* count_heading;
  std::span<const Line> lines;
  Result<Job, Failure> (*prepare)(const Family&, const Stripe&, unsigned count);
};

constexpr TablePlan table_plans[] = {
    {"xrs_encode", "RS and XRS: encode", "GB/s of (data + parity) x size.", "", encode_lines, prepare_encode},
    {"xrs_reconstruct", "RS and XRS: reconstruct",
     "GB/s of bytes read + bytes rebuilt; XRS reads less for one lost chunk, so compare times.", "lost",
     reconstruct_lines, prepare_reconstruct},
    {"xrs_update", "RS and XRS: update of one chunk", "GB/s of (2 + parity + parity) x size.", "", update_lines,
     prepare_update},
    {"xrs_replace", "RS and XRS: replace", "GB/s of (parity + parity + replaced) x size.", "replaced", replace_lines,
     prepare_replace}};

std::vector<Column> columns_of(const TablePlan& plan) {
  std::vector<Column> columns{{"chunk", "chunk"}};
  if (*plan.count_heading != '\0') columns.push_back({plan.count_heading, plan.count_heading});
  const std::vector<Column> figures{{"rs_gbps", "RS", 1},
                                    {"xrs_gbps", "XRS", 1},
                                    {"xrs_time_ratio", "XRS/RS time", 2},
                                    {"original_rs_gbps", "Go RS", 1},
                                    {"original_xrs_gbps", "Go XRS", 1},
                                    {"original_xrs_time_ratio", "Go XRS/RS time", 2}};
  columns.insert(columns.end(), figures.begin(), figures.end());
  return columns;
}

Row row_of(const TablePlan& plan, const Line& line, const Job& rs, const Job& xrs, const Sampling& sampling) {
  const std::vector<Samples> samples = measure(std::vector<Work>{rs.work, xrs.work}, sampling);
  const auto rate = [](const Job& job, const Samples& of) {
    return static_cast<double>(job.io_bytes) / median(of) * 1e-9;
  };
  Row row{size_text(line.chunk_size)};
  if (*plan.count_heading != '\0') row.emplace_back(static_cast<double>(line.count));
  row.insert(row.end(), {rate(rs, samples[0]), rate(xrs, samples[1]), time_ratio(samples[1], samples[0])});
  if (line.original)
    row.insert(row.end(), {line.original->rs_gbps, line.original->xrs_gbps, line.original->time_ratio});
  else
    row.resize(row.size() + 3);
  return row;
}

Result<Table, Failure> make_table(const TablePlan& plan, const Family& rs, const Family& xrs, Workbench& workbench) {
  Table table{.key = plan.key, .title = plan.title, .note = plan.note, .columns = columns_of(plan), .rows = {}};
  for (const Line& line : plan.lines) {
    if (std::ranges::find(workbench.chunk_sizes, line.chunk_size) == workbench.chunk_sizes.end()) continue;
    workbench.announce(fmt::format("{} {}", plan.title, size_text(line.chunk_size)));
    const std::vector<Stripe> stripes =
        workbench.arena.lay_out(xrs_tables_shape, line.chunk_size, Layout::contiguous, 1);
    PARAPET_TRY(const Job rs_job, plan.prepare(rs, stripes.front(), line.count));
    PARAPET_TRY(const Job xrs_job, plan.prepare(xrs, stripes.front(), line.count));
    table.rows.push_back(row_of(plan, line, rs_job, xrs_job, workbench.sampling));
  }
  return table;
}

}  // namespace

Result<std::vector<Table>, Failure> xrs_tables(Workbench& workbench) {
  PARAPET_TRY(const Code rs, make_code(rs_text(xrs_tables_shape)));
  PARAPET_TRY(const Code xrs, make_code(xrs_text(xrs_tables_shape)));
  std::vector<Table> tables;
  for (const TablePlan& plan : table_plans) {
    PARAPET_TRY(Table table, make_table(plan, {rs, encode_rs_reference}, {xrs, encode_xrs_reference}, workbench));
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace parapet::bench
