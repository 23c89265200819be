// The update schemes: when committed updates leave the log, and where deltas go.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/mover.h"

namespace parapet::pool {

enum class Scheme : std::uint8_t {
  fo,   ///< Full overwrite: data and parity homes are brought up to date as soon as an update is committed.
  fl,   ///< Full logging: updates stay in the log until space is needed.
  pl,   ///< Parity logging: data goes home soon, deltas stay in the log.
  plr,  ///< Parity logging with reserved space: data goes home soon, deltas go, coalesced, to the reserve.
};

std::string_view name_of(Scheme scheme);
std::optional<Scheme> scheme_named(std::string_view name);

/// What a scheme does with a log under this pressure; nothing to do when neither data nor parity moves.
store::MovePolicy policy_for(Scheme scheme, const store::Store::Pressure& pressure);

/// Whether the log should be shortened.
bool wants_trim(const store::Store::Pressure& pressure);

}  // namespace parapet::pool
