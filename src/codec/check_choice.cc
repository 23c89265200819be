#include "codec/check_choice.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "base/prng.h"
#include "gf/matrix.h"

namespace parapet::codec {

namespace {

using Rows = std::vector<std::uint32_t>;

// Sets of at most so many rows are all tried; of more, local search, within what one repair's planning may take.
constexpr std::size_t row_count_for_all_sets = 10;
constexpr std::size_t work_max = 3'000'000;
constexpr std::size_t work_for_random_starts_max = 200'000;
constexpr unsigned random_start_count = 8;
// Available parity chunks of which every subset is tried as something to do without.
constexpr unsigned spared_count_max = 4;

/// What a row has of known sub-chunks, which are read, and how many unknown ones are in it.
struct Parts {
  Rows known;
  std::size_t unknown_count = 0;
};

/// Sub-chunks and chunks read, in the order of the goal; then runs of sub-chunks, each a read of its own; then the
/// unknowns in all rows, since rows with few of them solve with few sums. Less is better.
using Cost = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;

/// What a set of rows reads, counted as rows come and go.
class ReadSet {
 public:
  ReadSet(std::size_t column_count, unsigned alpha, RepairGoal goal)
      : alpha_(alpha), goal_(goal), uses_(column_count), chunk_uses_(column_count / alpha) {}

  void add(const Parts& row) {
    unknowns_ += row.unknown_count;
    for (const std::uint32_t column : row.known) {
      if (uses_[column]++ > 0) continue;
      ++sub_chunks_;
      runs_ += 1 - neighbours_used(column);
      if (chunk_uses_[column / alpha_]++ == 0) ++chunks_;
    }
  }
  void remove(const Parts& row) {
    unknowns_ -= row.unknown_count;
    for (const std::uint32_t column : row.known) {
      if (--uses_[column] > 0) continue;
      --sub_chunks_;
      runs_ -= 1 - neighbours_used(column);
      if (--chunk_uses_[column / alpha_] == 0) --chunks_;
    }
  }
  [[nodiscard]] Cost cost() const {
    return goal_ == RepairGoal::fewest_bytes ? Cost{sub_chunks_, chunks_, runs_, unknowns_}
                                             : Cost{chunks_, sub_chunks_, runs_, unknowns_};
  }

 private:
  /// Of the sub-chunks beside this one in its chunk.
  [[nodiscard]] std::size_t neighbours_used(std::uint32_t column) const {
    const std::uint32_t sub = column % alpha_;
    const bool before = sub > 0 && uses_[column - 1] > 0;
    const bool after = sub + 1 < alpha_ && uses_[column + 1] > 0;
    return std::size_t{before} + std::size_t{after};
  }

  unsigned alpha_;
  RepairGoal goal_;
  std::vector<std::uint16_t> uses_;
  std::vector<std::uint16_t> chunk_uses_;
  std::size_t sub_chunks_ = 0;
  std::size_t chunks_ = 0;
  std::size_t runs_ = 0;  // modulo 2^64 in between: a sub-chunk may join two runs
  std::size_t unknowns_ = 0;
};

/// The checks that have a part in the repair, split into what is known and what is not.
class Search {
 public:
  Search(const LinearMap& map, const Shape& shape, const RepairTask& task) : shape_(shape), task_(task) {
    std::vector<std::uint32_t> place(map.checks.column_count(), none);
    for (std::uint32_t column = 0; column < map.checks.column_count(); ++column)
      if (!task.available.contains(column / shape.alpha)) {
        place[column] = static_cast<std::uint32_t>(unknown_columns_.size());
        unknown_columns_.push_back(column);
      }
    for (std::uint32_t row = 0; row < map.checks.row_count(); ++row) take_row(map.checks, row, place);
    unknown_part_ = pick(map.checks, row_of_, unknown_columns_);
    wanted_ = wanted_rows(place);
  }

  struct Result {
    Rows checks;
    Cost cost;
  };

  std::optional<Result> run() const {
    auto best = first_rows(in_order());
    if (!best) return std::nullopt;
    // A scalar MDS code cannot do with less than k chunks; and where all checks are needed there is no choice.
    const bool no_choice =
        (shape_.alpha == 1 && shape_.tolerance == shape_.m && reads_k_chunks(*best)) || best->size() == row_of_.size();
    if (!no_choice) improve(*best);
    Result result{{}, read_set(*best).cost()};
    for (const std::uint32_t row : *best) result.checks.push_back(row_of_[row]);
    std::sort(result.checks.begin(), result.checks.end());
    return result;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void take_row(const SparseMatrix& checks, std::uint32_t row, const std::vector<std::uint32_t>& place) {
    Parts parts;
    for (const Entry& entry : checks.row(row)) {
      if (place[entry.column] == none)
        parts.known.push_back(entry.column);
      else
        ++parts.unknown_count;
    }
    if (parts.unknown_count == 0) return;
    row_of_.push_back(row);
    parts_.push_back(std::move(parts));
  }

  [[nodiscard]] gf::Matrix wanted_rows(const std::vector<std::uint32_t>& place) const {
    const std::size_t sub_count = task_.subs.last - task_.subs.first;
    gf::Matrix wanted(task_.wanted.count() * sub_count, unknown_columns_.size());
    std::size_t row = 0;
    for (const unsigned chunk : task_.wanted)
      for (std::uint32_t sub = task_.subs.first; sub < task_.subs.last; ++sub)
        wanted.at(row++, place[chunk * shape_.alpha + sub]) = 1;
    return wanted;
  }

  [[nodiscard]] Rows in_order() const {
    Rows rows(row_of_.size());
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
  }

  /// The rows that express what is wanted, those that come first in `order` preferred.
  [[nodiscard]] std::optional<Rows> first_rows(const Rows& order) const {
    const auto coefficients = gf::express(wanted_, rows_of(order));
    if (!coefficients) return std::nullopt;
    Rows used;
    for (std::size_t j = 0; j < order.size(); ++j)
      for (std::size_t i = 0; i < wanted_.row_count(); ++i)
        if (coefficients->at(i, j) != 0) {
          used.push_back(order[j]);
          break;
        }
    return used;
  }

  [[nodiscard]] ReadSet read_set(const Rows& rows) const {
    ReadSet set(std::size_t{shape_.n()} * shape_.alpha, shape_.alpha, task_.goal);
    for (const std::uint32_t row : rows) set.add(parts_[row]);
    return set;
  }

  [[nodiscard]] bool reads_k_chunks(const Rows& rows) const { return std::get<0>(read_set(rows).cost()) == shape_.k; }

  void improve(Rows& best) const {
    if (row_of_.size() <= row_count_for_all_sets) return try_all_sets(best);
    const std::size_t work = work_of_exchange(best);
    if (work > work_max) return;
    descend(best);
    if (work > work_for_random_starts_max) return;
    Cost best_cost = read_set(best).cost();
    base::Prng prng(0);
    Rows order = in_order();
    for (unsigned start = 0; start < random_start_count; ++start) {
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[prng.below(i)]);
      Rows rows = *first_rows(order);
      descend(rows);
      const Cost cost = read_set(rows).cost();
      if (cost >= best_cost) continue;
      best = std::move(rows);
      best_cost = cost;
    }
  }

  /// About how many sub-chunks are counted to find the best exchange.
  [[nodiscard]] std::size_t work_of_exchange(const Rows& rows) const {
    std::size_t reads = 0;
    for (const Parts& parts : parts_) reads += parts.known.size();
    return rows.size() * reads + rows.size() * rows.size() * unknown_part_.column_count();
  }

  /// The cheapest set that determines what is wanted, of all sets. They are gone through in the order of a Gray code,
  /// one row coming or going at a time.
  void try_all_sets(Rows& best) const {
    const Cost bound = read_set(best).cost();
    ReadSet set_read = read_set({});
    std::vector<std::tuple<Cost, std::uint32_t>> sets;
    for (std::uint32_t step = 1, set = 0; step < 1U << row_of_.size(); ++step) {
      const auto row = static_cast<std::uint32_t>(std::countr_zero(step));
      set ^= 1U << row;
      (set >> row & 1) != 0 ? set_read.add(parts_[row]) : set_read.remove(parts_[row]);
      const bool may_suffice = static_cast<std::size_t>(std::popcount(set)) >= wanted_.row_count();
      if (may_suffice && set_read.cost() < bound) sets.emplace_back(set_read.cost(), set);
    }
    std::sort(sets.begin(), sets.end());
    for (const auto& [cost, set] : sets) {
      const auto rows = first_rows(members(set));
      if (!rows) continue;
      best = *rows;
      return;
    }
  }

  static Rows members(std::uint32_t set) {
    Rows rows;
    for (std::uint32_t row = 0; set >> row != 0; ++row)
      if ((set >> row & 1) != 0) rows.push_back(row);
    return rows;
  }

  /// Exchanges one row for another, the best exchange first, until none pays.
  void descend(Rows& rows) const {
    while (exchange_best(rows)) {
    }
  }

  /// The rows are independent and each is needed, so another one can take the place of `out` exactly if it lies in
  /// their span and its combination uses `out`.
  bool exchange_best(Rows& rows) const {
    const gf::Span span(rows_of(rows));
    ReadSet set = read_set(rows);
    auto best = std::tuple(set.cost(), rows.size(), std::uint32_t{0});
    for (std::uint32_t in = 0; in < row_of_.size(); ++in) {
      if (std::ranges::find(rows, in) != rows.end()) continue;
      const auto combination = span.express(unknown_part_.row(in));
      if (!combination) continue;
      set.add(parts_[in]);
      for (std::size_t out = 0; out < rows.size(); ++out) {
        if ((*combination)[out] == 0) continue;
        set.remove(parts_[rows[out]]);
        if (set.cost() < std::get<Cost>(best)) best = {set.cost(), out, in};
        set.add(parts_[rows[out]]);
      }
      set.remove(parts_[in]);
    }
    const auto& [cost, out, in] = best;
    if (out == rows.size()) return false;
    rows[out] = in;
    rows = *first_rows(rows);
    return true;
  }

  [[nodiscard]] gf::Matrix rows_of(const Rows& rows) const {
    gf::Matrix result(rows.size(), unknown_part_.column_count());
    for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(unknown_part_.row(rows[i]), result.row(i).begin());
    return result;
  }

  const Shape& shape_;
  const RepairTask& task_;
  Rows unknown_columns_;
  Rows row_of_;               // the check that a row of this search is
  std::vector<Parts> parts_;  // by row
  gf::Matrix unknown_part_;   // by row and unknown
  gf::Matrix wanted_;         // by wanted sub-chunk and unknown
};

/// Whether some check takes several parity sub-chunks, so that computing one of them may be cheaper than reading it.
bool couples_parities(const LinearMap& map) {
  for (std::size_t row = 0; row < map.checks.row_count(); ++row) {
    const auto is_parity = [&](const Entry& entry) { return entry.column >= map.generator.column_count(); };
    if (std::ranges::count_if(map.checks.row(row), is_parity) > 1) return true;
  }
  return false;
}

/// The sets of available parity chunks that a repair may do without: none, and where checks couple parities, all
/// subsets of the first few.
std::vector<ChunkSet> spared_sets(const LinearMap& map, const Shape& shape, const RepairTask& task) {
  std::vector<ChunkSet> sets{{}};
  if (!couples_parities(map)) return sets;
  unsigned count = 0;
  for (const unsigned chunk : task.available) {
    if (chunk < shape.k || count == spared_count_max) continue;
    ++count;
    for (std::size_t i = 0, before = sets.size(); i < before; ++i) sets.push_back(sets[i] | ChunkSet{chunk});
  }
  return sets;
}

}  // namespace

std::optional<CheckChoice> choose_checks(const LinearMap& map, const Shape& shape, const RepairTask& task) {
  std::optional<CheckChoice> best;
  Cost best_cost;
  for (const ChunkSet& spared : spared_sets(map, shape, task)) {
    RepairTask narrowed = task;
    narrowed.available = task.available - spared;
    auto found = Search(map, shape, narrowed).run();
    if (!found || (best && found->cost >= best_cost)) continue;
    best = CheckChoice{narrowed.available, std::move(found->checks)};
    best_cost = found->cost;
  }
  return best;
}

}  // namespace parapet::codec
