// Intel ISA-L, loaded at run time to be measured beside. Nothing of it is linked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/stripe.h"
#include "parapet/result.h"

namespace parapet::bench {

/// One loaded library. Cheap to copy; the library stays loaded as long as a copy lives.
class Isal {
 public:
  /// Loads `path`, searched for as dlopen does. The error is one line for people.
  static Result<Isal, std::string> load(const std::string& path);

  /// E.g. "ISA-L 2.30".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The file that was loaded.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Whether both are one loaded library: the dynamic linker gives the first again for a second of the same soname.
  [[nodiscard]] bool same_library(const Isal& other) const { return handle_ == other.handle_; }

  /// Prepared coefficients for `multiply`.
  using Tables = std::vector<std::uint8_t>;
  /// Those of the m parity rows of gf_gen_cauchy1_matrix.
  [[nodiscard]] Tables encode_tables(Shape shape) const;
  /// Those that give data chunks 0..lost-1 from data chunks lost..k-1 and then parity chunks 0..lost-1.
  [[nodiscard]] Tables decode_tables(Shape shape, unsigned lost) const;

  /// ec_encode_data: `row_count` outputs from `source_count` sources of `size` bytes each.
  void multiply(std::size_t size, unsigned source_count, unsigned row_count, const Tables& tables,
                std::uint8_t* const* sources, std::uint8_t* const* outputs) const;

 private:
  Isal() = default;
  /// The k identity rows and m parity rows, k bytes each.
  [[nodiscard]] std::vector<std::uint8_t> generator(Shape shape) const;
  [[nodiscard]] Tables tables_of(std::uint8_t* rows, unsigned k, unsigned row_count) const;

  std::shared_ptr<void> handle_;
  std::string name_;
  std::string path_;
  void (*ec_init_tables_)(int k, int rows, unsigned char* coefficients, unsigned char* tables) = nullptr;
  void (*ec_encode_data_)(int size, int k, int rows, unsigned char* tables, unsigned char** sources,
                          unsigned char** outputs) = nullptr;
  void (*gf_gen_cauchy1_matrix_)(unsigned char* matrix, int rows, int k) = nullptr;
  int (*gf_invert_matrix_)(unsigned char* in, unsigned char* out, int n) = nullptr;
};

}  // namespace parapet::bench
