// Flows of control that hand over to each other by name: the mechanism of switching, and nothing of its policy. Kept
// small so that another mechanism can take its place.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <optional>

#include "simenv/fiber_stack.h"

namespace parapet::simenv {

/// Not movable. All fibers that switch to each other belong to one OS thread.
class Fiber {
 public:
  /// The flow of control that makes it.
  Fiber() = default;
  /// A new one with a stack of its own, which runs `body` when it is first switched to. The body ends with `exit_to`.
  explicit Fiber(std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Called by this fiber: goes on with `next`, and returns when another fiber switches to this one.
  void switch_to(Fiber& next);
  /// Called by this fiber as its last act; it may be destroyed as soon as `next` runs.
  [[noreturn]] void exit_to(Fiber& next);

 private:
  static void enter();
  void leave_for(Fiber& next, void** fake_stack);
  void arrive();

  std::function<void()> body_;
  std::optional<FiberStack> stack_;
  ucontext_t context_{};
  // For the address sanitizer; of the first fiber the bounds become known when it is first left.
  void* fake_stack_ = nullptr;
  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
};

}  // namespace parapet::simenv
