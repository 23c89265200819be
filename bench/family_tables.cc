#include "bench/family_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/try.h"
#include "bench/codec_work.h"
#include "bench/roofline.h"

namespace parapet::bench {
namespace {

constexpr std::size_t kib = 1024;
constexpr Layout layouts[] = {Layout::contiguous, Layout::staggered};
/// What a device delivers, for repairs that read from devices at once.
constexpr double device_bytes_per_second = 1e9;

// With four parities, with two, and with one or three.
constexpr const char* family_codes[] = {"xrs(12,4)",
                                        "hitchhiker(12,4)",
                                        "lrc(12,2,2)",
                                        "clay(12,4)",
                                        "cauchy_good(12,4)",
                                        "cauchy_orig(12,4)",
                                        "rdp(6,2)",
                                        "rdp(10,2)",
                                        "evenodd(7,2)",
                                        "evenodd(10,2)",
                                        "blaum_roth(10,2)",
                                        "liberation(10,2)",
                                        "liber8tion(8,2)",
                                        "cauchy_good(10,2)",
                                        "hitchhiker(10,2)",
                                        "clay(10,2)",
                                        "reed_sol_r6_op(10,2)",
                                        "xor(12,1)",
                                        "replication(1,3)"};

constexpr const char* jerasure_codes[] = {"cauchy_good(10,4", "cauchy_orig(10,4", "cauchy_good(10,2",
                                          "liberation(10,2",  "blaum_roth(10,2",  "liber8tion(8,2"};
constexpr const char* jerasure_matrix_codes[] = {"rs(10,4,matrix=jerasure)", "reed_sol_r6_op(10,2)"};
constexpr std::size_t jerasure_packet_sizes[] = {1 * kib, 2 * kib};

Shape shape_of(const Code& code) { return {code.k(), code.m()}; }

/// The largest legal chunk size up to `size_max`, and at least one, that the XOR kernels take too. Sub-chunks are whole
/// cache lines.
std::size_t legal_chunk_size(const Code& code, std::size_t size_max) {
  const std::size_t lines = code.packet_size() == 0 ? std::size_t{64} * code.alpha() : code.chunk_size_multiple();
  const std::size_t multiple = std::lcm(lines, kib);
  return std::max(size_max / multiple, std::size_t{1}) * multiple;
}

/// What encoding must give, by the product's other way to compute it: updates of a stripe of zeros, chunk by chunk.
Bytes parity_by_updates(const Code& code, const Stripe& stripe) {
  Bytes zeros(stripe.chunk_size);
  Bytes parity(code.m() * stripe.chunk_size);
  std::vector<Region> regions;
  for (unsigned i = 0; i < code.m(); ++i)
    regions.emplace_back(parity.data() + i * stripe.chunk_size, stripe.chunk_size);
  for (unsigned i = 0; i < code.k(); ++i)
    code.update(i, 0, {zeros.data(), zeros.size()}, {stripe.chunks[i], stripe.chunk_size}, regions).value();
  return parity;
}

Work xor_work(const Stripe& stripe, XorKernel kernel) {
  return [&stripe, kernel](std::size_t) {
    kernel(stripe.chunks.data(), stripe.shape.k, stripe.chunks.data() + stripe.shape.k, stripe.shape.m,
           stripe.chunk_size);
  };
}

double rate(double bytes, const Samples& samples) { return bytes / median(samples) * 1e-9; }

Result<Row, Failure> encode_row(Workbench& workbench, const std::string& text, std::size_t size_max, Layout layout) {
  PARAPET_TRY(const Code code, make_code(text));
  PARAPET_TRY(const Code rs, make_code(rs_text(shape_of(code))));
  const std::size_t chunk_size = legal_chunk_size(code, size_max);
  const std::vector<Stripe> stripes = workbench.arena.lay_out(shape_of(code), chunk_size, layout, 1);
  const Stripe& stripe = stripes.front();
  const Bytes expected = parity_by_updates(code, stripe);
  std::vector<Work> cases{encode_work(code, stripes), encode_work(rs, stripes)};
  PARAPET_CHECK(
      expect_output("encode of " + code.text(), cases[0], stripe.chunks.data() + code.k(), expected, chunk_size));
  for (const XorKernel kernel : xor_kernels()) cases.push_back(xor_work(stripe, kernel));
  const std::vector<Samples> samples = measure(cases, workbench.sampling);
  const auto fastest_xor = std::min_element(samples.begin() + 2, samples.end(),
                                            [](const Samples& a, const Samples& b) { return median(a) < median(b); });
  const auto bytes = static_cast<double>(code.k() * chunk_size);
  return Row{code.text(),
             size_text(chunk_size),
             std::string(name_of(layout)),
             rate(bytes, samples[0]),
             rate(bytes, samples[1]),
             rate(bytes, *fastest_xor),
             time_ratio(samples[0], samples[1]),
             time_ratio(*fastest_xor, samples[0])};
}

Result<Table, Failure> encode_table(Workbench& workbench) {
  Table table{.key = "families_encode",
              .title = "Families: encode",
              .note =
                  "GB/s of data, warm, beside rs(k,m) and XOR from k to m copies on the same buffers. Chunk sizes are "
                  "the legal ones next below 64 KiB and 1 MiB.",
              .columns = {{"code", "code"},
                          {"chunk", "chunk"},
                          {"layout", "layout"},
                          {"parapet_gbps", "parapet", 1},
                          {"rs_gbps", "RS", 1},
                          {"xor_gbps", "XOR", 1},
                          {"time_ratio_to_rs", "time / RS", 2},
                          {"ratio_to_xor", "/ XOR", 2}},
              .rows = {}};
  for (const char* const text : family_codes)
    for (const std::size_t size_max : {64 * kib, 1024 * kib}) {
      if (std::ranges::find(workbench.chunk_sizes, size_max) == workbench.chunk_sizes.end()) continue;
      workbench.announce(fmt::format("encode {} {}", text, size_text(size_max)));
      for (const Layout layout : layouts) {
        PARAPET_TRY(Row row, encode_row(workbench, text, size_max, layout));
        table.rows.push_back(std::move(row));
      }
    }
  return table;
}

/// A repair of data chunk 0 in memory.
struct Repair {
  Plan plan;
  Work work;
  double device_seconds = 0;  // until the last device has delivered, all reading at once
};

Result<Repair, Failure> prepare_repair(const Code& code, const Stripe& stripe) {
  encode_work(code, {stripe})(0);
  const auto plan = code.plan_repair(ChunkSet::range(1, code.n()), {0}, stripe.chunk_size);
  if (!plan) return plan.error().message();
  std::vector<ConstRegion> inputs;
  std::vector<std::size_t> bytes_of_chunk(code.n());
  for (const ChunkRange& range : plan->reads()) {
    inputs.emplace_back(stripe.chunks[range.chunk] + range.offset, range.length);
    bytes_of_chunk[range.chunk] += range.length;
  }
  const Region output(stripe.outputs[0], stripe.chunk_size);
  Work work = [plan = *plan, inputs = std::move(inputs), output](std::size_t) {
    plan.run(inputs, {&output, 1}).value();
  };
  clear(stripe.outputs.data(), 1, stripe.chunk_size);
  const Bytes expected = copy_of(stripe.chunks.data(), 1, stripe.chunk_size);
  PARAPET_CHECK(expect_output("repair of " + code.text(), work, stripe.outputs.data(), expected, stripe.chunk_size));
  const double slowest = static_cast<double>(*std::ranges::max_element(bytes_of_chunk));
  return Repair{*plan, std::move(work), slowest / device_bytes_per_second};
}

Result<Row, Failure> repair_row(Workbench& workbench, const std::string& text, std::size_t size_max) {
  PARAPET_TRY(const Code code, make_code(text));
  PARAPET_TRY(const Code rs, make_code(rs_text(shape_of(code))));
  const std::size_t chunk_size = legal_chunk_size(code, size_max);
  const std::vector<Stripe> stripes = workbench.arena.lay_out(shape_of(code), chunk_size, Layout::contiguous, 1);
  PARAPET_TRY(const Repair ours, prepare_repair(code, stripes.front()));
  const Samples our_samples = measure({{ours.work}}, workbench.sampling)[0];
  PARAPET_TRY(const Repair of_rs, prepare_repair(rs, stripes.front()));
  const Samples rs_samples = measure({{of_rs.work}}, workbench.sampling)[0];
  const double our_seconds = ours.device_seconds + median(our_samples);
  const double rs_seconds = of_rs.device_seconds + median(rs_samples);
  return Row{code.text(),
             size_text(chunk_size),
             static_cast<double>(ours.plan.bytes_read()) / static_cast<double>(chunk_size),
             static_cast<double>(ours.plan.cost().chunks),
             median(our_samples) * 1e6,
             median(rs_samples) * 1e6,
             our_seconds * 1e6,
             rs_seconds * 1e6,
             our_seconds / rs_seconds};
}

Result<Table, Failure> repair_table(Workbench& workbench) {
  Table table{.key = "families_repair",
              .title = "Families: repair of data chunk 0",
              .note =
                  "Computing in memory, contiguous, warm; and with reads: all devices at once at 1 GB/s each, then "
                  "computing.",
              .columns = {{"code", "code"},
                          {"chunk", "chunk"},
                          {"chunks_read", "chunks read", 2},
                          {"devices", "devices"},
                          {"compute_us", "compute us", 0},
                          {"rs_compute_us", "RS", 0},
                          {"total_us", "with reads us", 0},
                          {"rs_total_us", "RS", 0},
                          {"time_ratio_to_rs", "time / RS", 2}},
              .rows = {}};
  constexpr std::size_t size_max = 1024 * kib;
  if (std::ranges::find(workbench.chunk_sizes, size_max) == workbench.chunk_sizes.end()) return table;
  for (const char* const text : family_codes) {
    workbench.announce(fmt::format("repair {}", text));
    PARAPET_TRY(Row row, repair_row(workbench, text, size_max));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Result<Row, Failure> jerasure_row(Workbench& workbench, const std::string& text, std::size_t size_max, Layout layout) {
  PARAPET_TRY(const Code code, make_code(text));
  const std::size_t chunk_size = legal_chunk_size(code, size_max);
  const std::vector<Stripe> stripes = workbench.arena.lay_out(shape_of(code), chunk_size, layout, 1);
  const Stripe& stripe = stripes.front();
  const std::vector<Work> cases{encode_work(code, stripes), workbench.jerasure->encode_work(code, stripe)};
  cases[0](0);
  const Bytes expected = copy_of(stripe.chunks.data() + code.k(), code.m(), chunk_size);
  clear(stripe.chunks.data() + code.k(), code.m(), chunk_size);
  PARAPET_CHECK(
      expect_output("Jerasure's " + code.text(), cases[1], stripe.chunks.data() + code.k(), expected, chunk_size));
  const std::vector<Samples> samples = measure(cases, workbench.sampling);
  const auto bytes = static_cast<double>(code.k() * chunk_size);
  return Row{code.text(),
             size_text(chunk_size),
             std::string(name_of(layout)),
             rate(bytes, samples[0]),
             rate(bytes, samples[1]),
             time_ratio(samples[1], samples[0])};
}

/// Every code of Jerasure with the packet sizes measured.
std::vector<std::string> jerasure_texts() {
  std::vector<std::string> texts;
  for (const char* const code : jerasure_codes)
    for (const std::size_t packet_size : jerasure_packet_sizes)
      texts.push_back(fmt::format("{},packetsize={})", code, packet_size));
  texts.insert(texts.end(), std::begin(jerasure_matrix_codes), std::end(jerasure_matrix_codes));
  return texts;
}

Result<Table, Failure> jerasure_table(Workbench& workbench) {
  Table table{.key = "jerasure_encode",
              .title = "Beside Jerasure: encode",
              .note =
                  "GB/s of data, warm; the same bytes from both. Jerasure runs schedules made before (smart "
                  "scheduling), with the GF-Complete it was built with.",
              .columns = {{"code", "code"},
                          {"chunk", "chunk"},
                          {"layout", "layout"},
                          {"parapet_gbps", "parapet", 1},
                          {"jerasure_gbps", "Jerasure", 1},
                          {"ratio_to_jerasure", "/ Jerasure", 2}},
              .rows = {}};
  for (const std::string& text : jerasure_texts())
    for (const std::size_t size_max : {64 * kib, 1024 * kib}) {
      if (std::ranges::find(workbench.chunk_sizes, size_max) == workbench.chunk_sizes.end()) continue;
      workbench.announce(fmt::format("Jerasure {} {}", text, size_text(size_max)));
      for (const Layout layout : layouts) {
        PARAPET_TRY(Row row, jerasure_row(workbench, text, size_max, layout));
        table.rows.push_back(std::move(row));
      }
    }
  return table;
}

}  // namespace

Result<std::vector<Table>, Failure> family_tables(Workbench& workbench) {
  std::vector<Table> tables;
  PARAPET_TRY(Table encode, encode_table(workbench));
  tables.push_back(std::move(encode));
  PARAPET_TRY(Table repair, repair_table(workbench));
  tables.push_back(std::move(repair));
  if (workbench.jerasure) {
    PARAPET_TRY(Table jerasure, jerasure_table(workbench));
    tables.push_back(std::move(jerasure));
  }
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace parapet::bench
