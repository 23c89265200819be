// For tests: SHA-256 (FIPS 180-4), for test data that give digests.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace parapet::codec {

std::array<std::uint8_t, 32> sha256(std::span<const std::uint8_t> message);

}  // namespace parapet::codec
