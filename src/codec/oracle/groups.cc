#include "codec/oracle/groups.h"

namespace parapet::codec::oracle {

unsigned xrs_parity(unsigned chunk, unsigned m) { return 1 + chunk % (m - 1); }

Group xrs_group(unsigned k, unsigned m, unsigned parity) {
  Group group;
  for (unsigned chunk = 0; chunk < k; ++chunk)
    if (xrs_parity(chunk, m) == parity) group.push_back(chunk);
  return group;
}

Groups even_runs(unsigned member_count, unsigned group_count) {
  Groups groups(group_count);
  for (unsigned member = 0, group = 0; member < member_count; ++group)
    for (unsigned size = (member_count - member + group_count - group - 1) / (group_count - group); size > 0; --size)
      groups[group].push_back(member++);
  return groups;
}

Groups hitchhiker_groups(unsigned k, unsigned m) {
  Groups best;
  std::size_t best_cost = ~std::size_t{0};
  for (unsigned last = 0; last <= k; ++last) {
    Groups groups = even_runs(k - last, m - 1);
    groups.emplace_back();
    for (unsigned chunk = k - last; chunk < k; ++chunk) groups.back().push_back(chunk);
    std::size_t cost = last * (m - 2);
    for (const Group& group : groups) cost += group.size() * (k + group.size());
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = groups;
  }
  return best;
}

}  // namespace parapet::codec::oracle
