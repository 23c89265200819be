// Fuzzes the kernels: the input picks a shape and the data, every implementation must agree with the reference.
#include <cstdio>
#include <cstdlib>

#include "gf/isa.h"
#include "gf/kernel_case.h"

namespace {

constexpr std::size_t length_max = 5000;

/// Takes numbers from the input, and zeros when it is used up.
class Input {
 public:
  Input(const std::uint8_t* bytes, std::size_t size) : bytes_(bytes), size_(size) {}
  std::size_t below(std::size_t bound) {
    std::size_t number = 0;
    for (int i = 0; i < 2; ++i) number = number << 8 | next();
    return number % bound;
  }

 private:
  std::size_t next() { return at_ < size_ ? bytes_[at_++] : 0; }
  const std::uint8_t* bytes_;
  std::size_t size_;
  std::size_t at_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  namespace gf = parapet::gf;
  static const gf::KernelRegions regions(length_max);
  Input input(bytes, size);
  gf::KernelShape shape;
  shape.row_count = 1 + input.below(gf::rows_per_pass_max);
  shape.source_count = input.below(gf::KernelCase::source_count_max + 1);
  shape.begin = input.below(300);
  shape.length = input.below(length_max);
  shape.accumulate = input.below(2) == 1;
  shape.has_terms = input.below(2) == 1;
  shape.place = static_cast<gf::Place>(input.below(3));
  shape.misalignment = input.below(64);
  shape.stagger = input.below(64);
  parapet::base::Prng prng(input.below(65536));
  gf::KernelCase kernel_case(regions, shape, prng);
  for (const gf::Kernels* kernels : gf::all_kernels()) {
    if (!kernels->supported()) continue;
    for (const gf::KernelFunction& function : gf::kernel_functions) {
      const std::string failure = kernel_case.run(*kernels, function);
      if (failure.empty()) continue;
      std::fprintf(stderr, "%s\n", failure.c_str());
      std::abort();
    }
  }
  return 0;
}
