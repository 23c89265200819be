// The bytes of other libraries: every record of testdata/vectors.txt.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "codec/sha256.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

using Fields = std::vector<std::string>;

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) text.append({digits[byte >> 4], digits[byte & 15]});
  return text;
}

/// The chunk as the record gives it.
std::string as_in(const std::string& field, const Bytes& chunk) {
  return field.starts_with("sha256:") ? "sha256:" + hex(sha256(chunk)) : hex(chunk);
}

std::vector<unsigned> numbers(const std::string& field) {
  std::vector<unsigned> result;
  std::istringstream in(field == "-" ? "" : field);
  for (std::string number; std::getline(in, number, ',');) result.push_back(static_cast<unsigned>(std::stoul(number)));
  return result;
}

Bytes pattern(std::size_t size, unsigned step, unsigned first) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * step + first);
  return bytes;
}
Bytes old_chunk(std::size_t size, unsigned index) { return pattern(size, 31, index * 17 + 7); }
Bytes new_chunk(std::size_t size, unsigned index) { return pattern(size, 13, index * 29 + 101); }

std::vector<Bytes> old_data(const Code& code, std::size_t size) {
  std::vector<Bytes> data;
  for (unsigned j = 0; j < code.k(); ++j) data.push_back(old_chunk(size, j));
  return data;
}

std::vector<Bytes> encode(const Code& code, const std::vector<Bytes>& data) {
  std::vector<Bytes> parity(code.m(), Bytes(data[0].size()));
  EXPECT_TRUE(code.encode(const_regions(data), regions(parity)).has_value());
  return parity;
}

/// Fields from `first` on are the parity, one each.
void expect_parity(const std::vector<Bytes>& parity, const Fields& fields, std::size_t first) {
  ASSERT_GE(fields.size(), first + parity.size());
  for (std::size_t r = 0; r < parity.size(); ++r) EXPECT_EQ(as_in(fields[first + r], parity[r]), fields[first + r]);
}

// Parity of unit vectors shows the coefficients.
void check_matrix(const Code& code, const Fields& fields) {
  std::vector<Bytes> unit(code.k(), Bytes(code.k()));
  for (unsigned j = 0; j < code.k(); ++j) unit[j][j] = 1;
  expect_parity(encode(code, unit), fields, 2);
}

/// Row by row, what each data sub-chunk adds to a parity sub-chunk.
std::vector<Bytes> generator(const Code& code) {
  const std::size_t alpha = code.alpha(), packet = code.chunk_size_multiple() / alpha;
  std::vector<Bytes> rows(code.m() * alpha, Bytes(code.k() * alpha));
  for (std::size_t column = 0; column < code.k() * alpha; ++column) {
    std::vector<Bytes> unit(code.k(), Bytes(code.chunk_size_multiple()));
    unit[column / alpha][column % alpha * packet] = 1;
    const auto parity = encode(code, unit);
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row][column] = parity[row / alpha][row % alpha * packet];
  }
  return rows;
}

void check_bits(const Code& code, const Fields& fields) {
  Fields rows;
  for (const Bytes& row : generator(code)) {
    rows.emplace_back();
    for (const std::uint8_t bit : row) rows.back().push_back(bit == 0 ? '0' : '1');
  }
  EXPECT_EQ(rows, Fields(fields.begin() + 2, fields.end()));
}

// The first column of an element's block of bits is the element itself.
void check_elements(const Code& code, const Fields& fields) {
  const auto rows = generator(code);
  ASSERT_EQ(fields.size(), 2 + code.m());
  for (unsigned i = 0; i < code.m(); ++i) {
    std::vector<unsigned> elements(code.k());
    for (unsigned j = 0; j < code.k(); ++j)
      for (unsigned bit = 0; bit < code.alpha(); ++bit)
        elements[j] |= unsigned{rows[i * code.alpha() + bit][j * code.alpha()]} << bit;
    EXPECT_EQ(elements, numbers(fields[2 + i])) << "parity " << i;
  }
}

void check_parity(const Code& code, const Fields& fields) {
  expect_parity(encode(code, old_data(code, std::stoul(fields[2]))), fields, 3);
}

void check_update(const Code& code, const Fields& fields) {
  const std::size_t size = std::stoul(fields[2]);
  const auto index = static_cast<unsigned>(std::stoul(fields[3]));
  const Bytes before = old_chunk(size, index), after = new_chunk(size, index);
  auto parity = encode(code, old_data(code, size));
  ASSERT_TRUE(code.update(index, 0, {before.data(), size}, {after.data(), size}, regions(parity)).has_value());
  expect_parity(parity, fields, 4);
}

void check_replace(const Code& code, const Fields& fields) {
  const std::size_t size = std::stoul(fields[2]);
  auto data = old_data(code, size);
  std::vector<Bytes> fresh;
  for (const unsigned index : numbers(fields[3])) {
    data[index] = Bytes(size);
    fresh.push_back(new_chunk(size, index));
  }
  std::vector<ConstIndexedRegion> deltas;
  for (const unsigned index : numbers(fields[3])) deltas.push_back({index, {fresh[deltas.size()].data(), size}});
  auto parity = encode(code, data);
  expect_parity(parity, fields, 4);
  ASSERT_TRUE(code.replace(deltas, regions(parity)).has_value());
  expect_parity(parity, fields, 4 + code.m());
}

// Half a of a group member changes half b of its parity by itself, whatever the coefficients do to half a.
void check_group(const Code& code, const Fields& fields) {
  const auto parity_index = static_cast<unsigned>(std::stoul(fields[2]));
  std::vector<unsigned> members;
  for (unsigned j = 0; j < code.k(); ++j) {
    std::vector<Bytes> unit(code.k(), Bytes(2));
    unit[j][0] = 1;
    const Bytes parity = encode(code, unit)[parity_index - code.k()];
    if (parity[1] != 0) members.push_back(j);
  }
  EXPECT_EQ(members, numbers(fields[3]));
}

void check_reads(const Code& code, const Fields& fields) {
  const auto lost = static_cast<unsigned>(std::stoul(fields[2]));
  const std::size_t halves = std::stoul(fields[3]);
  const auto plan = code.plan_repair(ChunkSet::range(0, code.n()) - ChunkSet{lost}, {lost}, 2);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->bytes_read(), halves);
  if (halves == 2 * code.k()) return;  // no less than a plain repair, which is what the plan is then
  std::vector<Bytes> wanted(code.n(), Bytes(2)), planned = wanted;  // one byte per half: whether it is read
  for (unsigned j = 0; j < code.k(); ++j) wanted[j][1] = j != lost;
  for (const unsigned j : numbers(fields[4])) wanted[j][0] = 1;
  for (const unsigned parity : numbers(fields[5])) wanted[parity][1] = 1;
  for (const ChunkRange& range : plan->reads())
    for (std::size_t i = 0; i < range.length; ++i) planned[range.chunk][range.offset + i] = 1;
  EXPECT_EQ(planned, wanted);
}

const std::map<std::string, std::function<void(const Code&, const Fields&)>> checks = {
    {"matrix", check_matrix}, {"bits", check_bits},       {"elements", check_elements}, {"parity", check_parity},
    {"update", check_update}, {"replace", check_replace}, {"group", check_group},       {"reads", check_reads}};

TEST(Vectors, EveryRecordOfEveryLibrary) {
  std::ifstream file(PARAPET_SOURCE_DIR "/src/codec/testdata/vectors.txt");
  ASSERT_TRUE(file.is_open());
  std::map<std::string, int> counts;
  std::map<std::string, Code> codes;
  unsigned line_number = 0;
  for (std::string line; std::getline(file, line);) {
    ++line_number;
    if (line.empty() || line[0] == '#') continue;
    std::istringstream in(line);
    const Fields fields{std::istream_iterator<std::string>(in), {}};
    SCOPED_TRACE("line " + std::to_string(line_number) + ": " + line.substr(0, 60));
    ASSERT_TRUE(checks.contains(fields[0]));
    if (!codes.contains(fields[1])) codes.emplace(fields[1], parse(fields[1]));
    ASSERT_NO_FATAL_FAILURE(checks.at(fields[0])(codes.at(fields[1]), fields));
    ++counts[fields[0]];
  }
  for (const auto& [kind, count] : counts) std::cout << count << " records checked: " << kind << "\n";
  const std::map<std::string, int> expected = {{"bits", 24},    {"elements", 32}, {"group", 22},   {"matrix", 24},
                                               {"parity", 970}, {"reads", 94},    {"replace", 99}, {"update", 110}};
  EXPECT_EQ(counts, expected) << "records are missing or new ones are not counted";
}

TEST(Sha256, KnownAnswers) {
  const auto digest = [](std::string_view text) {
    return hex(sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  };
  // FIPS 180-4's examples, and the empty message.
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace parapet::codec
