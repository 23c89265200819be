#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/prng.h"

namespace parapet::base {
namespace {

/// The definition, bit by bit.
std::uint32_t reference(std::uint32_t seed, const std::uint8_t* bytes, std::size_t size) {
  std::uint32_t state = ~seed;
  for (std::size_t i = 0; i < size; ++i) {
    state ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? 0x82f63b78u : 0u);
  }
  return ~state;
}

std::vector<std::uint8_t> random_bytes(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  Prng(1).fill(bytes.data(), size);
  return bytes;
}

class Crc32c : public testing::TestWithParam<Crc32cImplementation> {
 protected:
  void SetUp() override {
    if (!GetParam().supported) GTEST_SKIP() << "this machine lacks " << GetParam().name;
  }
  static std::uint32_t crc(std::uint32_t seed, const void* bytes, std::size_t size) {
    return GetParam().function(seed, bytes, size);
  }
};

TEST_P(Crc32c, GivesThePublishedCheckValue) { EXPECT_EQ(crc(0, "123456789", 9), 0xe3069283u); }

// RFC 3720, B.4: "CRC Examples".
TEST_P(Crc32c, GivesTheVectorsOfRfc3720) {
  std::array<std::uint8_t, 32> bytes{};
  EXPECT_EQ(crc(0, bytes.data(), 32), 0x8a9136aau);
  bytes.fill(0xff);
  EXPECT_EQ(crc(0, bytes.data(), 32), 0x62a8ab43u);
  for (std::uint8_t i = 0; i < 32; ++i) bytes[i] = i;
  EXPECT_EQ(crc(0, bytes.data(), 32), 0x46dd794eu);
  for (std::uint8_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::uint8_t>(31 - i);
  EXPECT_EQ(crc(0, bytes.data(), 32), 0x113fdb5cu);
  constexpr std::uint8_t read_command[48] = {0x01, 0xc0, 0, 0, 0, 0, 0,    0, 0,    0, 0, 0,    0, 0, 0, 0,
                                             0x14, 0,    0, 0, 0, 0, 0x04, 0, 0,    0, 0, 0x14, 0, 0, 0, 0x18,
                                             0x28, 0,    0, 0, 0, 0, 0,    0, 0x02, 0, 0, 0,    0, 0, 0, 0};
  EXPECT_EQ(crc(0, read_command, 48), 0xd9963a56u);
}

TEST_P(Crc32c, AgreesWithTheDefinitionForAllShortLengths) {
  const auto bytes = random_bytes(600);
  for (std::size_t size = 0; size <= 600; ++size)
    ASSERT_EQ(crc(0x12345678, bytes.data(), size), reference(0x12345678, bytes.data(), size)) << size;
}

TEST_P(Crc32c, AgreesWithTheDefinitionForLongLengths) {
  const auto bytes = random_bytes(9000);
  for (std::size_t around : {1344u, 2688u, 4032u, 4096u, 8064u, 8192u, 8900u})
    for (std::size_t size = around - 20; size <= around + 20; ++size)
      ASSERT_EQ(crc(9, bytes.data(), size), reference(9, bytes.data(), size)) << size;
}

TEST_P(Crc32c, AgreesWithTheDefinitionAtAllAlignments) {
  const auto bytes = random_bytes(5000);
  for (std::size_t offset = 0; offset < 64; ++offset)
    ASSERT_EQ(crc(7, bytes.data() + offset, 4096), reference(7, bytes.data() + offset, 4096)) << offset;
}

TEST_P(Crc32c, ContinuesFromAPrefix) {
  const auto bytes = random_bytes(1500);
  const std::uint32_t whole = crc(0, bytes.data(), bytes.size());
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    ASSERT_EQ(crc(crc(0, bytes.data(), cut), bytes.data() + cut, bytes.size() - cut), whole) << cut;
}

INSTANTIATE_TEST_SUITE_P(All, Crc32c,
                         testing::ValuesIn(crc32c_implementations().begin(), crc32c_implementations().end()),
                         [](const auto& which) {
                           std::string name = which.param.name;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST(Crc32cDispatch, UsesAnImplementationThatAgrees) { EXPECT_EQ(crc32c(0, "123456789", 9), 0xe3069283u); }

}  // namespace
}  // namespace parapet::base
