#include "os/ring.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "base/assert.h"
#include "os/note_once.h"
#include "os/steady_now.h"

namespace parapet::os {
namespace {

constexpr unsigned queue_depth = 128;

/// What `run` relies on: waiting with a deadline, and completions that are kept when their queue is full.
constexpr unsigned features_needed = IORING_FEAT_EXT_ARG | IORING_FEAT_NODROP;

/// Some sandboxes allow a ring to be made but not to be used.
bool answers(io_uring& ring) {
  io_uring_prep_nop(io_uring_get_sqe(&ring));
  io_uring_cqe* done = nullptr;
  if (io_uring_submit_and_wait(&ring, 1) != 1 || io_uring_peek_cqe(&ring, &done) != 0) return false;
  io_uring_cqe_seen(&ring, done);
  return true;
}

void note_refusal(const char* reason) {
  note_once("io_uring is not available (" + std::string(reason) + "); disks are read and written by worker threads");
}

void prepare(io_uring_sqe* entry, Transfer* transfer) {
  const Transfer& of = *transfer;
  switch (of.kind()) {
    case env::Io::Kind::read:
      io_uring_prep_read(entry, of.fd(), of.data(), of.size(), of.offset());
      break;
    case env::Io::Kind::write:
    case env::Io::Kind::write_durable:
      io_uring_prep_write(entry, of.fd(), of.data(), of.size(), of.offset());
      entry->rw_flags = of.kind() == env::Io::Kind::write_durable ? RWF_DSYNC : 0;
      break;
    case env::Io::Kind::flush:
      io_uring_prep_fsync(entry, of.fd(), IORING_FSYNC_DATASYNC);
      break;
  }
  io_uring_sqe_set_data(entry, transfer);
}

__kernel_timespec time_left(env::Time deadline) {
  const env::Time now = steady_now();
  const env::Time left = deadline > now ? deadline - now : env::Time(0);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  return {.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
}

/// Called before a ring is unmapped and after one is mapped, perhaps by another thread to the same address. The kernel
/// orders the two, but by system calls that ThreadSanitizer does not see.
void order_ring_memory() {
  static std::atomic<unsigned> turn{0};
  turn.fetch_add(1, std::memory_order_acq_rel);
}

/// The kernel may still write into the transfers' buffers at any later time: they must outlive everything.
void keep_for_ever(std::deque<Transfer> transfers) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::deque<Transfer>>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(transfers));
}

}  // namespace

Ring* Ring::of_this_thread() {
  thread_local const std::unique_ptr<Ring> ring = make();
  return ring.get();
}

/// Only its own thread uses a ring: then completions need not interrupt it one by one (Linux 6.1).
int make_ring(io_uring& ring) {
  const int answer = io_uring_queue_init(queue_depth, &ring, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
  return answer == -EINVAL ? io_uring_queue_init(queue_depth, &ring, 0) : answer;
}

std::unique_ptr<Ring> Ring::make() {
  io_uring ring{};
  if (const int answer = make_ring(ring); answer < 0) {
    note_refusal(std::strerror(-answer));
    return nullptr;
  }
  order_ring_memory();
  std::unique_ptr<Ring> made(new Ring(ring));
  if ((ring.features & features_needed) == features_needed && answers(made->ring_)) return made;
  note_refusal("the kernel is too old or forbids its use");
  return nullptr;
}

Ring::~Ring() {
  if (under_way_ > 0) reap(nullptr);
  order_ring_memory();
  io_uring_queue_exit(&ring_);
  if (under_way_ > 0) keep_for_ever(std::move(slots_));
}

void Ring::run(std::span<Transfer> transfers, const env::IoSet& set, env::Time deadline) {
  awaited_ = transfers.size();
  for (Transfer& transfer : transfers) add(std::move(transfer));
  while (awaited_ > 0) {
    fill_queue();
    enter(waiting_.empty() ? awaited_ : 0, deadline);
    reap(&set);
    if (awaited_ > 0 && deadline != env::never && steady_now() >= deadline) return give_up_waiting();
  }
}

void Ring::add(Transfer transfer) {
  if (free_.empty()) free_.push_back(&slots_.emplace_back());
  *free_.back() = std::move(transfer);
  waiting_.push_back(free_.back());
  free_.pop_back();
}

void Ring::fill_queue() {
  while (!waiting_.empty()) {
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    if (entry == nullptr) return;
    prepare(entry, waiting_.front());
    waiting_.pop_front();
    ++under_way_;
  }
}

void Ring::enter(std::size_t wait_count, env::Time deadline) {
  const auto count = static_cast<unsigned>(wait_count);
  int answer = 0;
  if (count == 0 || deadline == env::never) {
    answer = io_uring_submit_and_wait(&ring_, count);
  } else {
    __kernel_timespec left = time_left(deadline);
    io_uring_cqe* first = nullptr;
    answer = io_uring_submit_and_wait_timeout(&ring_, &first, count, &left, nullptr);
  }
  // Out of memory for the moment, completions to be reaped first, a signal, the deadline: `run` sees to each of them.
  PARAPET_ASSERT(answer >= 0 || answer == -EAGAIN || answer == -EBUSY || answer == -EINTR || answer == -ETIME);
}

void Ring::reap(const env::IoSet* awaited) {
  io_uring_cqe* done = nullptr;
  while (io_uring_peek_cqe(&ring_, &done) == 0) {
    auto* const transfer = static_cast<Transfer*>(io_uring_cqe_get_data(done));
    const int answer = done->res;
    io_uring_cqe_seen(&ring_, done);
    --under_way_;
    if (awaited != nullptr && transfer->is_part_of(*awaited))
      settle(transfer, answer);
    else
      release(transfer);
  }
}

void Ring::settle(Transfer* transfer, int answer) {
  if (!transfer->advance(answer)) return waiting_.push_back(transfer);
  transfer->finish();
  --awaited_;
  release(transfer);
}

void Ring::give_up_waiting() {
  for (Transfer* const transfer : waiting_) release(transfer);
  waiting_.clear();
}

void Ring::release(Transfer* transfer) {
  *transfer = {};
  free_.push_back(transfer);
}

}  // namespace parapet::os
