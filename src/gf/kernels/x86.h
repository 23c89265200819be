// Which x86-64 instruction sets this machine (processor and operating system) offers. Defined in isa.cc, which is
// compiled for the plain machine, so that asking needs no instruction that may be missing.
#pragma once

namespace parapet::gf::x86 {
bool has_ssse3();
bool has_avx2();
bool has_avx2_gfni();
bool has_avx512();
bool has_avx512_gfni();
}  // namespace parapet::gf::x86
