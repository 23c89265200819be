// Collects how values follow from each other, then makes a recipe of what is needed.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "codec/recipe.h"

namespace parapet::codec {

/// Values are sub-chunks that are read, or rows of steps. `finish` leaves out every row that no output needs and every
/// read that no remaining row needs, and lets temporaries take each other's place when they are no longer needed.
class RecipeBuilder {
 public:
  using Value = std::uint32_t;
  using Values = std::vector<Value>;

  /// The same value for the same sub-chunk.
  Value read(SubChunk source);

  /// One value per row: sum over j of coefficients(p, j) * sources[j], XOR the values terms[p]. terms: empty, or one
  /// list per row. Sources are distinct.
  Values multiply(gf::Matrix coefficients, Values sources, std::vector<Values> terms = {});

  /// XOR of `terms`, at least one.
  Value sum(Values terms);

  /// Puts out `value` as a sub-chunk; each sub-chunk once.
  void output(SubChunk target, Value value);

  Recipe finish(const gf::Kernels& kernels);

 private:
  struct Step {
    gf::Matrix coefficients;
    Values sources;
    std::vector<Values> terms;  // one list per row
    Values rows;                // the values that it makes
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  Value new_value(bool is_read);
  Values add_step(Step step);
  void drop_unneeded();
  void drop_rows(Step& step) const;
  void mark_needed(const Step& step);
  [[nodiscard]] std::vector<std::uint32_t> last_uses() const;
  OperandCounts number(Recipe& recipe);
  void number_temporaries(OperandCounts& counts);

  std::map<SubChunk, Value> reads_;
  std::map<SubChunk, Value> outputs_;
  std::vector<Step> steps_;
  std::vector<bool> is_read_;      // by value
  std::vector<bool> is_output_;    // by value
  std::vector<bool> is_needed_;    // by value, from `drop_unneeded` on
  std::vector<Operand> operands_;  // by value, from `number` on
};

}  // namespace parapet::codec
