// Memory for the stacks of fibers: mapped once, used again by the next fiber.
#pragma once

#include <cstddef>

namespace parapet::simenv {

/// One stack, with an inaccessible page below it so that an overflow faults. Taken from a pool of the calling OS thread
/// and given back to it: make and destroy a stack in the same one.
class FiberStack {
 public:
  FiberStack();
  ~FiberStack();
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;

  [[nodiscard]] void* bottom() const { return bottom_; }
  [[nodiscard]] static std::size_t size();

 private:
  void* bottom_;
};

}  // namespace parapet::simenv
