#include "bench/codec_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "bench/codec_tables.h"
#include "bench/family_tables.h"
#include "bench/machine.h"
#include "bench/xrs_tables.h"
#include "gf/cache_size.h"

namespace parapet::bench {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t chunk_size_max = 64 * mib;
/// Cold stripes take more than this many L3 caches, but no more memory than this.
constexpr std::size_t cold_l3_count = 4;
constexpr std::size_t cold_bytes_max = 2048 * mib;

Result<std::vector<Shape>, Failure> shapes_of(const CodecBenchmarkOptions& options) {
  if (options.codes.empty() && options.quick) return std::vector<Shape>{{12, 4}, {4, 2}};
  if (options.codes.empty()) return std::vector<Shape>{{12, 4}, {10, 4}, {8, 4}, {6, 3}, {8, 2}, {20, 4}, {4, 2}};
  std::vector<Shape> shapes;
  for (const std::string& text : options.codes) {
    PARAPET_TRY(const Code code, make_code(text));
    const Shape shape{code.k(), code.m()};
    if (code.text() != rs_text(shape))
      return fmt::format("{}: only rs(k,m) with the default matrix can be compared", text);
    shapes.push_back(shape);
  }
  return shapes;
}

Result<std::vector<std::size_t>, Failure> chunk_sizes_of(const CodecBenchmarkOptions& options) {
  if (options.chunk_sizes.empty() && options.quick) return std::vector<std::size_t>{4 * kib, 64 * kib};
  if (options.chunk_sizes.empty()) return std::vector<std::size_t>{4 * kib, 64 * kib, 1 * mib, 8 * mib};
  for (const std::size_t size : options.chunk_sizes)
    if (size == 0 || size % (4 * kib) != 0 || size > chunk_size_max)
      return fmt::format("chunk size {} is not a multiple of 4 KiB up to 64 MiB", size);
  return options.chunk_sizes;
}

Result<std::vector<Isal>, Failure> load_all(const std::vector<std::string>& paths) {
  std::vector<Isal> libraries;
  for (const std::string& path : paths) {
    PARAPET_TRY(Isal library, Isal::load(path));
    for (const Isal& other : libraries)
      if (library.same_library(other))
        return fmt::format("{} gives {} again: name the one without a directory first", path, other.path());
    libraries.push_back(std::move(library));
  }
  return libraries;
}

std::size_t cold_bytes() { return std::min(cold_l3_count * gf::last_level_cache_bytes(), cold_bytes_max); }

Result<Workbench, Failure> set_up(const CodecBenchmarkOptions& options) {
  Workbench workbench;
  PARAPET_TRY(workbench.shapes, shapes_of(options));
  PARAPET_TRY(workbench.chunk_sizes, chunk_sizes_of(options));
  PARAPET_TRY(workbench.beside, load_all(options.beside));
  if (!options.jerasure.empty()) {
    PARAPET_TRY(workbench.jerasure, Jerasure::load(options.jerasure));
  }
  if (options.quick)
    workbench.sampling = {.sample_count = 3, .sample_seconds_min = 1e-4};
  else
    workbench.cold_bytes = cold_bytes();
  workbench.announce = options.announce;
  return workbench;
}

std::vector<Fact> facts_of(const Workbench& workbench) {
  std::vector<Fact> facts = machine_facts();
  for (std::size_t i = 0; i < workbench.beside.size(); ++i)
    facts.push_back(
        {fmt::format("beside_{}", i), "beside", workbench.beside[i].name() + ", " + workbench.beside[i].path()});
  if (workbench.jerasure) facts.push_back({"jerasure", "beside", "Jerasure, " + workbench.jerasure->path()});
  return facts;
}

std::vector<std::string> method_of(const Workbench& workbench) {
  std::vector<std::string> method{
      "One thread, its CPU time (CLOCK_THREAD_CPUTIME_ID), after a warm-up.",
      fmt::format(
          "The cases of a row take turns on the same buffers in the same run, sample by sample, {} samples of at "
          "least {:.1f} ms each. A rate is the median, a ratio the median of the ratios of each round; ratios are "
          "of rates, above 1 where parapet is faster.",
          workbench.sampling.sample_count, workbench.sampling.sample_seconds_min * 1e3),
      "GB = 10^9 bytes. Every codec's output is compared with the bytes that define the code before it is timed.",
      "Layout contiguous: chunks back to back, all on pages. Staggered: each chunk 192 bytes further on.",
      "Warm: the same stripe again and again, touched once before each sample.",
      "XOR: the sum of the k sources written to as many copies as there are outputs; the fastest of five kernels (with "
      "and without prefetch, with and without non-temporal stores, column by column in groups of four sources)."};
  if (workbench.cold_bytes > 0)
    method.push_back(
        fmt::format("Cold: rotating over stripes that take more than {}.", size_text(workbench.cold_bytes)));
  if (std::ranges::find(workbench.shapes, xrs_tables_shape) != workbench.shapes.end())
    method.push_back(
        "RS and XRS at (12,4), contiguous, warm, bytes counted as the README of templexxx/xrs does. Go: the original "
        "libraries (templexxx/reedsolomon v1.1.3, templexxx/xrs; AVX-512, Go 1.19) on one thread of a Zen 5 core, not "
        "this "
        "machine; good to 20 %.");
  return method;
}

}  // namespace

Result<Report, Failure> run_codec_benchmark(const CodecBenchmarkOptions& options) {
  PARAPET_TRY(Workbench workbench, set_up(options));
  Report report{
      .title = "Codec benchmark", .machine = facts_of(workbench), .method = method_of(workbench), .tables = {}};
  PARAPET_TRY(Table encode, encode_table(workbench));
  report.tables.push_back(std::move(encode));
  PARAPET_TRY(Table decode, decode_table(workbench));
  report.tables.push_back(std::move(decode));
  if (std::ranges::find(workbench.shapes, xrs_tables_shape) != workbench.shapes.end()) {
    PARAPET_TRY(std::vector<Table> tables, xrs_tables(workbench));
    std::ranges::move(tables, std::back_inserter(report.tables));
  }
  if (options.codes.empty()) {
    PARAPET_TRY(std::vector<Table> tables, family_tables(workbench));
    std::ranges::move(tables, std::back_inserter(report.tables));
  }
  return report;
}

}  // namespace parapet::bench
