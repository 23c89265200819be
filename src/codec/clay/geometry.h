// Nodes and planes of a Clay code.
#pragma once

#include <cstdint>
#include <vector>

namespace parapet::codec {

/// Nodes lie in t columns of q: node i is at place x = i mod q of column y = i / q. Data chunks come first,
/// then virtual nodes that are zero and stored nowhere, then the parity chunks, which are the last column.
/// A sub-chunk is a plane z: t digits below q, digit 0 the most significant.
class ClayGeometry {
 public:
  ClayGeometry(unsigned k, unsigned m)
      : k_(k), q_(m), virtual_count_((m - (k + m) % m) % m), t_((k + virtual_count_ + m) / m), weights_(t_, 1) {
    for (unsigned y = t_ - 1; y > 0; --y) weights_[y - 1] = weights_[y] * q_;
  }

  [[nodiscard]] unsigned q() const { return q_; }
  [[nodiscard]] unsigned t() const { return t_; }
  [[nodiscard]] std::uint32_t plane_count() const { return weights_[0] * q_; }
  [[nodiscard]] unsigned node_count() const { return q_ * t_; }
  /// Data and virtual nodes.
  [[nodiscard]] unsigned data_node_count() const { return k_ + virtual_count_; }
  [[nodiscard]] bool is_virtual(unsigned node) const { return node >= k_ && node < data_node_count(); }
  [[nodiscard]] unsigned node_of(unsigned chunk) const { return chunk < k_ ? chunk : chunk + virtual_count_; }
  [[nodiscard]] unsigned chunk_of(unsigned node) const { return node < k_ ? node : node - virtual_count_; }
  [[nodiscard]] unsigned x(unsigned node) const { return node % q_; }
  [[nodiscard]] unsigned y(unsigned node) const { return node / q_; }

  [[nodiscard]] unsigned digit(std::uint32_t plane, unsigned y) const { return plane / weights_[y] % q_; }
  [[nodiscard]] std::uint32_t with_digit(std::uint32_t plane, unsigned y, unsigned value) const {
    return plane - digit(plane, y) * weights_[y] + value * weights_[y];
  }
  /// Whether the node is coupled with none in this plane.
  [[nodiscard]] bool is_single(unsigned node, std::uint32_t plane) const { return digit(plane, y(node)) == x(node); }
  /// The node and the plane that a node is coupled with.
  [[nodiscard]] unsigned partner(unsigned node, std::uint32_t plane) const {
    return y(node) * q_ + digit(plane, y(node));
  }
  [[nodiscard]] std::uint32_t partner_plane(unsigned node, std::uint32_t plane) const {
    return with_digit(plane, y(node), x(node));
  }

 private:
  unsigned k_;
  unsigned q_;
  unsigned virtual_count_;
  unsigned t_;
  std::vector<std::uint32_t> weights_;
};

}  // namespace parapet::codec
