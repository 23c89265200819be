#include "bench/workbench.h"

#include <fmt/format.h>

#include <cstring>

namespace parapet::bench {

std::string size_text(std::size_t bytes) {
  const std::size_t kib = bytes >> 10;
  return kib % 1024 == 0 ? fmt::format("{} MiB", kib >> 10) : fmt::format("{} KiB", kib);
}

std::string rs_text(Shape shape) { return fmt::format("rs({},{})", shape.k, shape.m); }
std::string xrs_text(Shape shape) { return fmt::format("xrs({},{})", shape.k, shape.m); }

Result<Code, Failure> make_code(const std::string& text) {
  Result<Code> code = Code::parse(text);
  if (!code) return fmt::format("{}: {}", text, code.error().message());
  return std::move(*code);
}

Bytes copy_of(const std::uint8_t* const* chunks, std::size_t count, std::size_t chunk_size) {
  Bytes bytes;
  for (std::size_t i = 0; i < count; ++i) bytes.insert(bytes.end(), chunks[i], chunks[i] + chunk_size);
  return bytes;
}

void clear(std::uint8_t* const* chunks, std::size_t count, std::size_t chunk_size) {
  for (std::size_t i = 0; i < count; ++i) std::memset(chunks[i], 0, chunk_size);
}

Result<void, Failure> expect_output(const std::string& what, const Work& work, const std::uint8_t* const* outputs,
                                    const Bytes& expected, std::size_t chunk_size) {
  work(0);
  for (std::size_t i = 0; i < expected.size() / chunk_size; ++i)
    if (std::memcmp(outputs[i], expected.data() + i * chunk_size, chunk_size) != 0)
      return fmt::format("{}: output {} has wrong bytes", what, i);
  return {};
}

}  // namespace parapet::bench
