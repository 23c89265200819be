#include "bench/pool_tables.h"

#include <fmt/format.h>

#include <numeric>

#include "bench/measure.h"

namespace parapet::bench {
namespace {

std::vector<const Timing*> timings_of(const std::vector<Timing>& timings) {
  std::vector<const Timing*> pointers;
  for (const Timing& timing : timings) pointers.push_back(&timing);
  return pointers;
}

std::vector<const Timing*> timings_of(const std::vector<CaseRun>& runs) {
  std::vector<const Timing*> pointers;
  for (const CaseRun& run : runs) pointers.push_back(&run.timing);
  return pointers;
}

/// The value, the median of the runs.
template <class Value>
double median_of(const std::vector<CaseRun>& runs, Value value) {
  std::vector<double> values;
  for (const CaseRun& run : runs) values.push_back(value(run));
  return median(std::move(values));
}

double kib_per_operation(const CaseRun& run) {
  const auto bytes = std::accumulate(run.device_bytes.begin(), run.device_bytes.end(), std::uint64_t{0});
  return static_cast<double>(bytes) / 1024 / static_cast<double>(std::max<std::uint64_t>(run.timing.operations, 1));
}

/// The columns that operations and references share, and their cells.
std::vector<Column> with_figures(std::vector<Column> front) {
  const std::vector<Column> figures{{"rate", "1/s"},
                                    {"mb_per_s", "MB/s", 1},
                                    {"p50_us", "p50 us"},
                                    {"p99_us", "p99 us"},
                                    {"p999_us", "p99.9 us"},
                                    {"user_us", "user us", 1},
                                    {"system_us", "sys us", 1},
                                    {"sleeps", "sleeps", 1},
                                    {"processors_elsewhere", "others", 2}};
  front.insert(front.end(), figures.begin(), figures.end());
  return front;
}

void add_figures(Row& row, const Summary& summary, std::size_t operation_size) {
  for (const double figure :
       {summary.rate, summary.rate * static_cast<double>(operation_size) / 1e6, summary.p50_us, summary.p99_us,
        summary.p999_us, summary.user_us, summary.system_us, summary.sleeps, summary.processors_elsewhere})
    row.emplace_back(figure);
}

/// A row of the table of floors.
struct Comparison {
  std::string reference;
  double reference_rate;
  double ratio;
};

Row floor_row(const std::string& scheme, const Group& group, const CaseSeries& measured, const Comparison& comparison,
              double floor) {
  const Summary summary = summary_of(timings_of(measured.runs));
  return {scheme,
          group.pool_case.title,
          std::string(name_of(measured.state)),
          summary.rate,
          comparison.reference,
          comparison.reference_rate,
          comparison.ratio,
          floor,
          std::string(comparison.ratio >= floor ? "met" : "not met"),
          summary.processors_elsewhere};
}

Comparison comparison_with(std::size_t index, const GroupSeries& series, const CaseSeries& measured) {
  const ReferenceSeries& reference = series.references[index];
  std::vector<double> rates;
  for (std::size_t round = 0; round < measured.runs.size(); ++round) rates.push_back(reference.rate(round));
  return {series.group.references[index].title, median(rates), ratio_of(measured, reference)};
}

void add_floor_rows(Table& table, const std::string& scheme, const GroupSeries& series, bool in_memory) {
  for (const CaseSeries& measured : series.cases) {
    if (in_memory) {
      if (!series.group.rate_in_memory) continue;
      const double wanted = *series.group.rate_in_memory;
      const double rate = summary_of(timings_of(measured.runs)).rate;
      table.rows.push_back(floor_row(scheme, series.group, measured, {"wanted in memory", wanted, rate / wanted}, 1));
      continue;
    }
    for (const Floor& floor : series.group.floors)
      table.rows.push_back(
          floor_row(scheme, series.group, measured, comparison_with(floor.reference, series, measured), floor.share));
  }
}

template <class Visit>
void for_each_case(const std::vector<SchemeSeries>& schemes, Visit visit) {
  for (const SchemeSeries& scheme : schemes)
    for (const GroupSeries& series : scheme.groups)
      for (const CaseSeries& measured : series.cases)
        visit(Row{scheme.scheme, series.group.pool_case.title, std::string(name_of(measured.state))},
              series.group.pool_case, measured);
}

}  // namespace

Table floor_table(const std::vector<SchemeSeries>& schemes, bool in_memory) {
  Table table{.key = "floors",
              .title = "What is wanted",
              .note =
                  "Operations per second; the ratio is the median of the ratios of the rounds. Others: processors that "
                  "other processes used meanwhile; with many of them a ratio says little.",
              .columns = {{"scheme", "scheme"},
                          {"operation", "operation"},
                          {"state", "log"},
                          {"rate", "1/s"},
                          {"reference", "reference"},
                          {"reference_rate", "its 1/s"},
                          {"ratio", "ratio", 3},
                          {"floor", "floor", 3},
                          {"met", ""},
                          {"processors_elsewhere", "others", 2}},
              .rows = {}};
  for (const SchemeSeries& scheme : schemes)
    for (const GroupSeries& series : scheme.groups) add_floor_rows(table, scheme.scheme, series, in_memory);
  return table;
}

Table limit_table(const std::vector<SchemeSeries>& schemes) {
  Table table{.key = "limits",
              .title = "Beside a program that makes the same accesses and nothing else",
              .note =
                  "No cache, no log that goes round, no parity, no checksums: it reads where an overwrite needs old "
                  "content, and writes what has to be durable before it is acknowledged.",
              .columns = {{"scheme", "scheme"},
                          {"operation", "operation"},
                          {"state", "log"},
                          {"rate", "1/s"},
                          {"accesses", "accesses"},
                          {"accesses_rate", "their 1/s"},
                          {"ratio", "ratio", 3}},
              .rows = {}};
  for (const SchemeSeries& scheme : schemes)
    for (const GroupSeries& series : scheme.groups) {
      if (!series.group.own_accesses) continue;
      for (const CaseSeries& measured : series.cases) {
        const Comparison beside = comparison_with(*series.group.own_accesses, series, measured);
        table.rows.push_back({scheme.scheme, series.group.pool_case.title, std::string(name_of(measured.state)),
                              summary_of(timings_of(measured.runs)).rate, beside.reference, beside.reference_rate,
                              beside.ratio});
      }
    }
  return table;
}

Table operation_table(const std::vector<SchemeSeries>& schemes) {
  Table table{.key = "operations",
              .title = "The pool",
              .note =
                  "Per operation: its time, processor time of the whole process, sleeps of its threads, bytes written "
                  "to all devices. Others: processors that other processes used. Turns: "
                  "how often the log of the device that wrote least went round.",
              .columns = with_figures({{"scheme", "scheme"}, {"operation", "operation"}, {"state", "log"}}),
              .rows = {}};
  table.columns.push_back({"written_kib", "written KiB", 1});
  table.columns.push_back({"log_turns", "turns", 1});
  for_each_case(schemes, [&](Row row, const PoolCase& pool_case, const CaseSeries& series) {
    add_figures(row, summary_of(timings_of(series.runs)), pool_case.item_size);
    row.emplace_back(median_of(series.runs, kib_per_operation));
    row.emplace_back(median_of(series.runs, [](const CaseRun& run) { return run.log_turns; }));
    table.rows.push_back(std::move(row));
  });
  return table;
}

Table reference_table(const std::vector<SchemeSeries>& schemes) {
  Table table{.key = "references",
              .title = "The machine",
              .note =
                  "The same accesses without an engine: by one thread for each operation under way, or all on one "
                  "io_uring. MB/s count all accesses of an operation.",
              .columns = with_figures({{"scheme", "beside"}, {"load", "load"}, {"by", "by"}}),
              .rows = {}};
  for (const SchemeSeries& scheme : schemes)
    for (const GroupSeries& series : scheme.groups)
      for (std::size_t i = 0; i < series.references.size(); ++i) {
        const Reference& reference = series.group.references[i];
        for (const bool ring : {false, true}) {
          const auto& timings = ring ? series.references[i].ring : series.references[i].threads;
          if (timings.empty()) continue;
          Row row{scheme.scheme, reference.title, std::string(ring ? "ring" : "threads")};
          add_figures(row, summary_of(timings_of(timings)), reference.load.size * reference.load.width);
          table.rows.push_back(std::move(row));
        }
      }
  return table;
}

Table device_table(const std::vector<SchemeSeries>& schemes, unsigned device_count) {
  Table table{.key = "devices",
              .title = "Written to each device",
              .note = "MiB in one run, the median of the runs.",
              .columns = {{"scheme", "scheme"}, {"operation", "operation"}, {"state", "log"}},
              .rows = {}};
  for (unsigned device = 0; device < device_count; ++device)
    table.columns.push_back({fmt::format("device_{}", device), fmt::format("device {}", device), 1});
  for_each_case(schemes, [&](Row row, const PoolCase&, const CaseSeries& series) {
    for (unsigned device = 0; device < device_count; ++device)
      row.emplace_back(median_of(series.runs, [device](const CaseRun& run) {
        return static_cast<double>(run.device_bytes[device]) / (1 << 20);
      }));
    table.rows.push_back(std::move(row));
  });
  return table;
}

}  // namespace parapet::bench
