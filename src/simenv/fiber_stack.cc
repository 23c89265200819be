#include "simenv/fiber_stack.h"

#include <sys/mman.h>

#include <vector>

#include "base/assert.h"
#include "simenv/sanitizer.h"

namespace parapet::simenv {
namespace {

constexpr std::size_t stack_size = std::size_t{256} * 1024 * sanitizer_stack_factor;
constexpr std::size_t guard_size = 4096;

class Pool {
 public:
  ~Pool() {
    for (std::byte* const mapping : free_) ::munmap(mapping, guard_size + stack_size);
  }

  std::byte* take() {
    if (free_.empty()) return map();
    std::byte* const mapping = free_.back();
    free_.pop_back();
    sanitizer_clear_stack(mapping + guard_size, stack_size);
    return mapping;
  }

  void give_back(std::byte* mapping) { free_.push_back(mapping); }

 private:
  static std::byte* map() {
    void* const mapping = ::mmap(nullptr, guard_size + stack_size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    PARAPET_ASSERT(mapping != MAP_FAILED);
    PARAPET_ASSERT(::mprotect(mapping, guard_size, PROT_NONE) == 0);
    return static_cast<std::byte*>(mapping);
  }

  std::vector<std::byte*> free_;
};

thread_local Pool pool;

}  // namespace

FiberStack::FiberStack() : bottom_(pool.take() + guard_size) {}

FiberStack::~FiberStack() { pool.give_back(static_cast<std::byte*>(bottom_) - guard_size); }

std::size_t FiberStack::size() { return stack_size; }

}  // namespace parapet::simenv
