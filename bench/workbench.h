// What the tables of the codec benchmark share: what to measure, how, and beside what.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/isal.h"
#include "bench/jerasure.h"
#include "bench/measure.h"
#include "bench/stripe.h"
#include "parapet/codec.h"
#include "parapet/result.h"

namespace parapet::bench {

/// What went wrong, in one line for people.
using Failure = std::string;

struct Workbench {
  std::vector<Shape> shapes;
  std::vector<std::size_t> chunk_sizes;
  std::vector<Isal> beside;
  std::optional<Jerasure> jerasure;
  Sampling sampling;
  /// Bytes that the stripes of a cold case exceed; 0 leaves the cold cases out.
  std::size_t cold_bytes = 0;
  /// Called with what is measured next.
  std::function<void(const std::string&)> announce = [](const std::string&) {};
  Arena arena;
};

/// E.g. "64 KiB".
std::string size_text(std::size_t bytes);

/// "rs(k,m)" and "xrs(k,m)".
std::string rs_text(Shape shape);
std::string xrs_text(Shape shape);

/// The code, or why it cannot be had.
Result<Code, Failure> make_code(const std::string& text);

/// Copies of the `count` chunks that `chunks` points to.
using Bytes = std::vector<std::uint8_t>;
Bytes copy_of(const std::uint8_t* const* chunks, std::size_t count, std::size_t chunk_size);

/// Zeroes `count` chunks, so that nothing right is left in them from before.
void clear(std::uint8_t* const* chunks, std::size_t count, std::size_t chunk_size);

/// Runs `work` once and compares the chunks at `outputs` with `expected`. A difference is a failure that names `what`.
Result<void, Failure> expect_output(const std::string& what, const Work& work, const std::uint8_t* const* outputs,
                                    const Bytes& expected, std::size_t chunk_size);

}  // namespace parapet::bench
