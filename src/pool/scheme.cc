#include "pool/scheme.h"

#include <array>

namespace parapet::pool {
namespace {

/// Shares of the log, in sixteenths, beyond which data and deltas that wait are moved.
struct Thresholds {
  std::string_view name;
  std::size_t data;
  std::size_t delta;
};
constexpr std::array<Thresholds, 4> thresholds = {{{"fo", 0, 0}, {"fl", 6, 6}, {"pl", 3, 6}, {"plr", 3, 4}}};
constexpr std::size_t parts = 16;
/// Beyond this share of the log, everything that waits is moved, and the log is shortened.
constexpr std::size_t pressing = 6;

bool beyond(std::size_t bytes, std::size_t share, const store::Store::Pressure& pressure) {
  return bytes > pressure.log_size / parts * share;
}

}  // namespace

std::string_view name_of(Scheme scheme) { return thresholds[static_cast<std::size_t>(scheme)].name; }

std::optional<Scheme> scheme_named(std::string_view name) {
  for (std::size_t i = 0; i < thresholds.size(); ++i)
    if (thresholds[i].name == name) return static_cast<Scheme>(i);
  return std::nullopt;
}

store::MovePolicy policy_for(Scheme scheme, const store::Store::Pressure& pressure) {
  const Thresholds& threshold = thresholds[static_cast<std::size_t>(scheme)];
  const bool everything = wants_trim(pressure);
  store::MovePolicy policy;
  policy.data = pressure.unmoved_data > 0 && (everything || beyond(pressure.unmoved_data, threshold.data, pressure));
  policy.parity =
      pressure.unmoved_delta > 0 && (everything || beyond(pressure.unmoved_delta, threshold.delta, pressure));
  policy.into_reserve = scheme == Scheme::plr;
  return policy;
}

bool wants_trim(const store::Store::Pressure& pressure) {
  return pressure.waiting || beyond(pressure.log_used, pressing, pressure);
}

}  // namespace parapet::pool
