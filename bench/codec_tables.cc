#include "bench/codec_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "bench/codec_work.h"
#include "bench/comparison.h"
#include "bench/reference.h"

namespace parapet::bench {
namespace {

constexpr Layout layouts[] = {Layout::contiguous, Layout::staggered};
constexpr std::size_t cold_chunk_sizes[] = {std::size_t{64} << 10, std::size_t{1} << 20};

bool measured_cold(const Workbench& workbench, std::size_t chunk_size) {
  return workbench.cold_bytes > 0 && std::ranges::find(cold_chunk_sizes, chunk_size) != std::end(cold_chunk_sizes);
}

/// The cells of `front`, then those of `back`.
Row joined(Row front, const Row& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

Result<Row, Failure> encode_row(Workbench& workbench, Shape shape, std::size_t chunk_size, Layout layout, bool warm) {
  PARAPET_TRY(const Code code, make_code(rs_text(shape)));
  const std::size_t stripe_count = warm ? 1 : stripes_beyond(workbench.cold_bytes, shape, chunk_size);
  const std::vector<Stripe> stripes = workbench.arena.lay_out(shape, chunk_size, layout, stripe_count);
  encode_rs_reference(stripes.front());
  const Bytes expected = copy_of(stripes.front().chunks.data() + shape.k, shape.m, chunk_size);

  Comparison comparison{.operands = {}, .parapet = encode_work(code, stripes), .tables = [shape](const Isal& library) {
                          return library.encode_tables(shape);
                        }};
  for (const Stripe& stripe : stripes)
    comparison.operands.push_back(
        {chunk_size, shape.k, shape.m, stripe.chunks.data(), stripe.chunks.data() + shape.k, stripe.outputs.data()});
  Sampling sampling = workbench.sampling;
  sampling.warm = warm;
  PARAPET_TRY(const Row figures, compare(comparison, expected, "encode of " + code.text(), workbench.beside, sampling));
  return joined({code.text(), size_text(chunk_size), std::string(name_of(layout)), warm ? "warm" : "cold"}, figures);
}

/// The stripe's parity must be that of its data.
Result<Row, Failure> decode_row(const Workbench& workbench, const Stripe& stripe, Layout layout, unsigned lost) {
  const Shape shape = stripe.shape;
  PARAPET_TRY(const Code code, make_code(rs_text(shape)));
  const Bytes expected = copy_of(stripe.chunks.data(), lost, stripe.chunk_size);
  const Comparison comparison{
      .operands = {{stripe.chunk_size, shape.k, lost, stripe.chunks.data() + lost, stripe.outputs.data(),
                    stripe.outputs.data()}},
      .parapet = reconstruct_work(code, stripe, lost),
      .tables = [shape, lost](const Isal& library) { return library.decode_tables(shape, lost); }};
  const std::string what = fmt::format("decode of {} with {} lost", code.text(), lost);
  PARAPET_TRY(const Row figures, compare(comparison, expected, what, workbench.beside, workbench.sampling));
  return joined({code.text(), size_text(stripe.chunk_size), std::string(name_of(layout)), static_cast<double>(lost)},
                figures);
}

std::vector<Column> columns_after(std::vector<Column> front, const Workbench& workbench) {
  for (Column& column : comparison_columns(workbench.beside)) front.push_back(std::move(column));
  return front;
}

}  // namespace

Result<Table, Failure> encode_table(Workbench& workbench) {
  Table table{.key = "encode",
              .title = "Encode",
              .note = "GB/s of data. XOR: k sources to m copies. memcpy: the k data chunks.",
              .columns = columns_after({{"code", "code"}, {"chunk", "chunk"}, {"layout", "layout"}, {"cache", "cache"}},
                                       workbench),
              .rows = {}};
  for (const Shape shape : workbench.shapes) {
    for (const std::size_t chunk_size : workbench.chunk_sizes) {
      workbench.announce(fmt::format("encode {} {}", rs_text(shape), size_text(chunk_size)));
      for (const bool warm : {true, false}) {
        if (!warm && !measured_cold(workbench, chunk_size)) continue;
        for (const Layout layout : layouts) {
          PARAPET_TRY(Row row, encode_row(workbench, shape, chunk_size, layout, warm));
          table.rows.push_back(std::move(row));
        }
      }
    }
  }
  return table;
}

Result<Table, Failure> decode_table(Workbench& workbench) {
  Table table{.key = "decode",
              .title = "Decode of lost data chunks, the pattern cached",
              .note =
                  "GB/s of data (k chunks read per call), warm. XOR: k sources to as many copies as chunks are lost. "
                  "memcpy: k chunks.",
              .columns = columns_after({{"code", "code"}, {"chunk", "chunk"}, {"layout", "layout"}, {"lost", "lost"}},
                                       workbench),
              .rows = {}};
  for (const Shape shape : workbench.shapes) {
    for (const std::size_t chunk_size : workbench.chunk_sizes) {
      workbench.announce(fmt::format("decode {} {}", rs_text(shape), size_text(chunk_size)));
      for (const Layout layout : layouts) {
        const std::vector<Stripe> stripes = workbench.arena.lay_out(shape, chunk_size, layout, 1);
        encode_rs_reference(stripes.front());
        for (unsigned lost = 1; lost <= shape.m; ++lost) {
          PARAPET_TRY(Row row, decode_row(workbench, stripes.front(), layout, lost));
          table.rows.push_back(std::move(row));
        }
      }
    }
  }
  return table;
}

}  // namespace parapet::bench
