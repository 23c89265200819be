#include "gf/isa.h"

#include <array>
#include <cstdlib>

#include "gf/kernels/x86.h"

namespace parapet::gf {

#if defined(__x86_64__)
// The compiler's builtin asks the operating system too (XGETBV) before it answers for AVX and above.
namespace x86 {
bool has_ssse3() { return __builtin_cpu_supports("ssse3"); }
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
bool has_avx2_gfni() { return has_avx2() && __builtin_cpu_supports("gfni"); }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
bool has_avx512_gfni() { return has_avx512() && __builtin_cpu_supports("gfni"); }
}  // namespace x86
#endif

std::span<const Kernels* const> all_kernels() {
  static constexpr std::array kernels = {
#if defined(__x86_64__)
    &avx512_gfni_kernels,
    &avx512_kernels,
    &avx2_gfni_kernels,
    &avx2_kernels,
    &ssse3_kernels,
#elif defined(__aarch64__)
    &neon_kernels,
#endif
    &scalar_kernels
  };
  return kernels;
}

Result<const Kernels*> choose_kernels(std::string_view name) {
  for (const Kernels* kernels : all_kernels()) {
    if (name.empty() ? kernels->supported() : name == kernels->name) {
      if (kernels->supported()) return kernels;
      return Error{ErrorCode::unsupported, "PARAPET_ISA", "this machine lacks the named instruction set; unset it"};
    }
  }
  return Error{ErrorCode::unsupported, "PARAPET_ISA",
               "unknown instruction set; known: avx512-gfni, avx512, avx2-gfni, avx2, ssse3, neon, scalar"};
}

Result<const Kernels*> active_kernels() {
  static const Result<const Kernels*> chosen = [] {
    const char* name = std::getenv("PARAPET_ISA");
    return choose_kernels(name == nullptr ? "" : name);
  }();
  return chosen;
}

}  // namespace parapet::gf
