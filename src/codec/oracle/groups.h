// For tests: which data chunks ride on which parity, and which are repaired together.
#pragma once

#include <vector>

namespace parapet::codec::oracle {

using Group = std::vector<unsigned>;  // ascending data chunks
using Groups = std::vector<Group>;

/// XRS: the parity (1..m-1) that half a of data chunk `chunk` rides on.
unsigned xrs_parity(unsigned chunk, unsigned m);

/// XRS: the data chunks that ride on a parity (0..m-1).
Group xrs_group(unsigned k, unsigned m, unsigned parity);

/// Hitchhiker: S_1 ... S_m, runs of consecutive chunks. All but the last have sizes that differ by one at most, larger
/// ones first. The last has the size, the smallest of equals, with which repairing each data chunk once reads least:
/// k + |S_i| halves for i < m and k + |S_m| + m - 2 for i = m.
Groups hitchhiker_groups(unsigned k, unsigned m);

/// `member_count` members in `group_count` runs whose sizes differ by one at most, larger ones first.
Groups even_runs(unsigned member_count, unsigned group_count);

}  // namespace parapet::codec::oracle
