#include "simenv/fiber.h"

#include <utility>

#include "base/assert.h"
#include "simenv/sanitizer.h"

namespace parapet::simenv {
namespace {

// The two sides of the switch that is under way.
thread_local Fiber* leaving = nullptr;
thread_local Fiber* entering = nullptr;

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(std::in_place) {
  stack_bottom_ = stack_->bottom();
  stack_size_ = FiberStack::size();
  PARAPET_ASSERT(::getcontext(&context_) == 0);
  context_.uc_stack.ss_sp = stack_->bottom();
  context_.uc_stack.ss_size = FiberStack::size();
  context_.uc_link = nullptr;
  ::makecontext(&context_, &Fiber::enter, 0);
  context_.uc_stack = {};  // Not needed any more, and the address sanitizer would forget what it knows of the stack.
}

void Fiber::switch_to(Fiber& next) {
  leave_for(next, &fake_stack_);
  ::swapcontext(&context_, &next.context_);
  arrive();
}

void Fiber::exit_to(Fiber& next) {
  leave_for(next, nullptr);
  ::setcontext(&next.context_);
  base::fail_assertion("setcontext does not return", __FILE__, __LINE__);
}

void Fiber::enter() {
  Fiber& self = *entering;
  self.arrive();
  self.body_();
  base::fail_assertion("a fiber ends with exit_to", __FILE__, __LINE__);
}

void Fiber::leave_for(Fiber& next, void** fake_stack) {
  leaving = this;
  entering = &next;
  sanitizer_start_switch(fake_stack, next.stack_bottom_, next.stack_size_);
}

void Fiber::arrive() { sanitizer_finish_switch(fake_stack_, &leaving->stack_bottom_, &leaving->stack_size_); }

}  // namespace parapet::simenv
