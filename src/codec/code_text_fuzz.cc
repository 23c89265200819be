// Fuzzes code texts: each is an error with one line, or a code whose own text makes the same code again, and whose
// stripes come back when a chunk is lost.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/code_text.h"
#include "parapet/codec.h"

namespace {

using parapet::ChunkSet;
using parapet::Code;
using parapet::ConstRegion;
using parapet::Region;
using Bytes = std::vector<std::uint8_t>;

constexpr unsigned chunk_count_limit = 12;
constexpr std::size_t chunk_size_limit = 4096;
// Values of w and p in between make codes that are legal and too large to try one after the other.
constexpr unsigned long size_option_limit = 17;
constexpr unsigned long size_option_illegal = 300;

[[noreturn]] void fail(std::string_view text, const char* what) {
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(text.size()), text.data(), what);
  std::abort();
}

void require(bool condition, std::string_view text, const char* what) {
  if (!condition) fail(text, what);
}

/// Legal codes may take seconds to make.
bool is_too_large(const parapet::codec::CodeText& parsed) {
  std::uint64_t chunk_count = 0;
  for (const unsigned number : parsed.numbers) chunk_count += number;
  if (chunk_count > chunk_count_limit && chunk_count <= parapet::chunk_count_max) return true;
  return std::any_of(parsed.options.begin(), parsed.options.end(), [](const auto& option) {
    const unsigned long value = std::strtoul(option.second.c_str(), nullptr, 10);
    return (option.first == "w" || option.first == "p") && value > size_option_limit && value < size_option_illegal;
  });
}

void check_error(std::string_view text, const parapet::Error& error) {
  const std::string message = error.message();
  require(error.code == parapet::ErrorCode::invalid_argument, text, "an error that is not the caller's");
  require(message.size() > 10 && message.find_first_of("\n{}") == std::string::npos, text, "an error of no one line");
}

void check_round_trip(const Code& code, std::string_view input) {
  const std::size_t size = code.chunk_size_multiple();
  std::vector<Bytes> chunks(code.n(), Bytes(size));
  std::vector<ConstRegion> all;
  std::vector<Region> parity;
  for (unsigned i = 0; i < code.n(); ++i) {
    for (std::size_t at = 0; at < size && i < code.k(); ++at)
      chunks[i][at] =
          static_cast<std::uint8_t>(31 * at + 17 * i + static_cast<unsigned char>(input[at % input.size()]));
    all.emplace_back(chunks[i].data(), size);
    if (i >= code.k()) parity.emplace_back(chunks[i].data(), size);
  }
  require(code.encode(std::span(all).first(code.k()), parity).has_value(), code.text(), "does not encode");
  require(code.verify(all).value() == ChunkSet(), code.text(), "does not verify");
  const unsigned lost = static_cast<unsigned char>(input.back()) % code.n();
  Bytes made(size);
  all[lost] = {};
  const parapet::IndexedRegion wanted{lost, {made.data(), size}};
  require(code.reconstruct(all, {&wanted, 1}).has_value(), code.text(), "does not reconstruct");
  require(made == chunks[lost], code.text(), "reconstructs other bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto parsed = parapet::codec::parse_code_text(text);
  if (parsed.has_value() && is_too_large(*parsed)) return 0;
  const auto code = Code::parse(text);
  if (!code.has_value()) {
    check_error(text, code.error());
    return 0;
  }
  require(parsed.has_value(), text, "a code from a text that is none");
  const auto again = Code::parse(code->text());
  require(again.has_value(), text, "its own text makes no code");
  require(again->text() == code->text(), text, "its own text makes another code");
  require(again->k() == code->k() && again->m() == code->m() && again->alpha() == code->alpha() &&
              again->tolerance() == code->tolerance() && again->packet_size() == code->packet_size(),
          text, "its own text makes a code of another shape");
  if (code->chunk_size_multiple() <= chunk_size_limit) check_round_trip(*code, text);
  return 0;
}
