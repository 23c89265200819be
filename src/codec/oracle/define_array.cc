// RDP and EVENODD, cell by cell of the array that the papers draw.
#include <algorithm>

#include "codec/oracle/definition.h"

namespace parapet::codec::oracle {

namespace {

/// Corbett et al., FAST 2004: columns 0..p-2 are data, those from k on zero; column p-1 has the sums of the rows. Each
/// diagonal but p-1 has its sum in the second parity.
Columns encode_rdp(const Columns& data, unsigned p) {
  Columns array = zeros(p, p - 1, data);
  std::ranges::copy(data, array.begin());
  for (unsigned r = 0; r < p - 1; ++r)
    for (unsigned c = 0; c < p - 1; ++c) add(array[p - 1][r], array[c][r]);
  Columns diagonals = zeros(1, p, data);
  for (unsigned r = 0; r < p - 1; ++r)
    for (unsigned c = 0; c < p; ++c) add(diagonals[0][(r + c) % p], array[c][r]);
  diagonals[0].pop_back();
  return {array[p - 1], diagonals[0]};
}

/// Blaum, Brady, Bruck, Menon 1995: p columns of data, those from k on zero. The sum of diagonal p-1 is added to the
/// sums of all others.
Columns encode_evenodd(const Columns& data, unsigned p) {
  Columns rows = zeros(1, p - 1, data), diagonals = zeros(1, p, data);
  for (unsigned c = 0; c < data.size(); ++c)
    for (unsigned r = 0; r < p - 1; ++r) {
      add(rows[0][r], data[c][r]);
      add(diagonals[0][(r + c) % p], data[c][r]);
    }
  const Bytes adjuster = diagonals[0].back();
  diagonals[0].pop_back();
  for (Bytes& sum : diagonals[0]) add(sum, adjuster);
  return {rows[0], diagonals[0]};
}

}  // namespace

Definition define_array(const CodeName& name) {
  const unsigned k = name.numbers[0];
  const bool is_rdp = name.family == "rdp";
  const unsigned p = name.option("p", prime_from(std::max(is_rdp ? k + 1 : k, 3U)));
  const Encode encode = [is_rdp, p](const Columns& data) {
    return is_rdp ? encode_rdp(data, p) : encode_evenodd(data, p);
  };
  return {.k = k, .m = 2, .alpha = p - 1, .encode = encode};
}

}  // namespace parapet::codec::oracle
