#include "bench/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/try.h"
#include "bench/roofline.h"

namespace parapet::bench {
namespace {

Work library_work(const std::vector<Operands>& operands, const Isal& library, Isal::Tables tables) {
  return [&operands, &library, tables = std::move(tables)](std::size_t call) {
    const Operands& on = operands[call % operands.size()];
    library.multiply(on.chunk_size, on.source_count, on.output_count, tables, on.sources, on.outputs);
  };
}

Work xor_work(const std::vector<Operands>& operands, XorKernel kernel) {
  return [&operands, kernel](std::size_t call) {
    const Operands& on = operands[call % operands.size()];
    kernel(on.sources, on.source_count, on.outputs, on.output_count, on.chunk_size);
  };
}

Work copy_work(const std::vector<Operands>& operands) {
  return [&operands](std::size_t call) {
    const Operands& on = operands[call % operands.size()];
    for (unsigned i = 0; i < on.source_count; ++i) std::memcpy(on.copies[i], on.sources[i], on.chunk_size);
  };
}

/// Figures from the samples of, in this order: the product, each library, each XOR kernel, the copy.
Row row_of(std::span<const Samples> samples, std::size_t library_count, double data_bytes) {
  const auto rate = [&](const Samples& of) { return data_bytes / median(of) * 1e-9; };
  const Samples& parapet = samples.front();
  const Samples& copy = samples.back();
  const auto libraries = samples.subspan(1, library_count);
  const auto xors = samples.subspan(1 + library_count, xor_kernel_count);
  const Samples& fastest_xor = *std::ranges::min_element(xors, {}, [](const Samples& of) { return median(of); });

  Row row{rate(parapet)};
  for (const Samples& library : libraries) row.emplace_back(rate(library));
  row.emplace_back(rate(fastest_xor));
  row.emplace_back(rate(copy));
  for (const Samples& library : libraries) row.emplace_back(time_ratio(library, parapet));
  row.emplace_back(time_ratio(fastest_xor, parapet));
  return row;
}

}  // namespace

std::vector<Column> comparison_columns(const std::vector<Isal>& beside) {
  std::vector<Column> columns{{"parapet_gbps", "parapet", 1}};
  for (std::size_t i = 0; i < beside.size(); ++i)
    columns.push_back({fmt::format("beside_{}_gbps", i), beside[i].name(), 1});
  columns.push_back({"xor_gbps", "XOR", 1});
  columns.push_back({"memcpy_gbps", "memcpy", 1});
  for (std::size_t i = 0; i < beside.size(); ++i)
    columns.push_back({fmt::format("ratio_to_beside_{}", i), "/ " + beside[i].name(), 2});
  columns.push_back({"ratio_to_xor", "/ XOR", 2});
  return columns;
}

Result<Row, Failure> compare(const Comparison& comparison, const Bytes& expected, const std::string& what,
                             const std::vector<Isal>& beside, const Sampling& sampling) {
  const std::vector<Operands>& operands = comparison.operands;
  const Operands& first = operands.front();
  std::vector<Work> cases{comparison.parapet};
  for (const Isal& library : beside) cases.push_back(library_work(operands, library, comparison.tables(library)));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string who = i == 0 ? "parapet" : beside[i - 1].name();
    clear(first.outputs, first.output_count, first.chunk_size);
    PARAPET_CHECK(
        expect_output(fmt::format("{} of {}", what, who), cases[i], first.outputs, expected, first.chunk_size));
  }
  for (const XorKernel kernel : xor_kernels()) cases.push_back(xor_work(operands, kernel));
  cases.push_back(copy_work(operands));

  const double data_bytes = static_cast<double>(first.source_count) * static_cast<double>(first.chunk_size);
  return row_of(measure(cases, sampling), beside.size(), data_bytes);
}

}  // namespace parapet::bench
