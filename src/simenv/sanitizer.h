// What the address sanitizer has to be told about stacks; nothing without it.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define PARAPET_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PARAPET_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef PARAPET_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace parapet::simenv {

#ifdef PARAPET_ADDRESS_SANITIZER
inline constexpr std::size_t sanitizer_stack_factor = 4;

inline void sanitizer_start_switch(void** fake_stack, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(fake_stack, bottom, size);
}
inline void sanitizer_finish_switch(void* fake_stack, const void** old_bottom, std::size_t* old_size) {
  __sanitizer_finish_switch_fiber(fake_stack, old_bottom, old_size);
}
/// The frames that were on a stack when its fiber ended have left marks.
inline void sanitizer_clear_stack(void* bottom, std::size_t size) { __asan_unpoison_memory_region(bottom, size); }
#else
inline constexpr std::size_t sanitizer_stack_factor = 1;

inline void sanitizer_start_switch(void**, const void*, std::size_t) {}
inline void sanitizer_finish_switch(void*, const void**, std::size_t*) {}
inline void sanitizer_clear_stack(void*, std::size_t) {}
#endif

}  // namespace parapet::simenv
