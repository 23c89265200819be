#include "codec/oracle/definition.h"
#include "codec/oracle/reed_solomon.h"

namespace parapet::codec::oracle {

namespace {

/// Vajha et al., FAST 2018, with d = n - 1: nodes stand in a grid of q by t, the data first, then virtual nodes that
/// are zero, then the parities, which are the last column. Plane z has t digits below q, the first the most
/// significant.
class Grid {
 public:
  Grid(unsigned k, unsigned q) : k_(k), q_(q), t_((k + q - 1) / q + 1), plane_count_(1) {
    for (unsigned y = 0; y < t_; ++y) plane_count_ *= q;
  }
  [[nodiscard]] unsigned plane_count() const { return plane_count_; }
  [[nodiscard]] unsigned data_node_count() const { return q_ * (t_ - 1); }

  /// The parity C that puts the U of every plane into a codeword of Reed-Solomon.
  [[nodiscard]] Columns encode(const Columns& data) const {
    Columns c = zeros(q_ * t_, plane_count_, data);
    for (unsigned node = 0; node < k_; ++node) c[node] = data[node];
    Columns u = zeros(q_ * t_, plane_count_, data);
    const auto matrix = reed_solomon_matrix("cauchy", data_node_count(), q_);
    for (unsigned z = 0; z < plane_count_; ++z) {
      for (unsigned node = 0; node < data_node_count(); ++node) u[node][z] = uncoupled(c, node, z);
      for (unsigned r = 0; r < q_; ++r)
        for (unsigned node = 0; node < data_node_count(); ++node)
          add_scaled(u[data_node_count() + r][z], u[node][z], matrix[r][node]);
    }
    for (unsigned node = data_node_count(); node < c.size(); ++node)
      for (unsigned z = 0; z < plane_count_; ++z) c[node][z] = coupled(u, node, z);
    return {c.begin() + data_node_count(), c.end()};
  }

 private:
  static constexpr std::uint8_t gamma = 2;

  struct Place {
    unsigned node;
    unsigned z;
  };
  /// Where (x, y; z) is coupled with (z_y, y; z with digit y = x).
  [[nodiscard]] Place partner(unsigned node, unsigned z) const {
    const unsigned x = node % q_, y = node / q_;
    unsigned weight = 1;
    for (unsigned digit = t_ - 1; digit > y; --digit) weight *= q_;
    const unsigned z_y = z / weight % q_;
    return {y * q_ + z_y, z - z_y * weight + x * weight};
  }

  /// U = C + gamma C' where the two differ.
  [[nodiscard]] Bytes uncoupled(const Columns& c, unsigned node, unsigned z) const {
    const Place other = partner(node, z);
    Bytes u = c[node][z];
    if (other.node != node) add_scaled(u, c[other.node][other.z], gamma);
    return u;
  }
  /// U = C + gamma C' and U' = C' + gamma C, solved for C.
  [[nodiscard]] Bytes coupled(const Columns& u, unsigned node, unsigned z) const {
    Bytes c = uncoupled(u, node, z);
    if (partner(node, z).node != node) scale(c, inverse(1 ^ times(gamma, gamma)));
    return c;
  }

  unsigned k_;
  unsigned q_;
  unsigned t_;
  unsigned plane_count_;
};

}  // namespace

Definition define_clay(const CodeName& name) {
  const unsigned k = name.numbers[0], m = name.numbers[1];
  const Grid grid(k, m);
  const Encode encode = [grid](const Columns& data) { return grid.encode(data); };
  return {.k = k, .m = m, .alpha = grid.plane_count(), .encode = encode};
}

}  // namespace parapet::codec::oracle
