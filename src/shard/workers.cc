#include "shard/workers.h"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace parapet::shard {
namespace {

/// What the threads of one run share.
class Run {
 public:
  Run(std::uint64_t stripe_count, const std::string& subject, Progress& progress, const MakeWorker& make_worker)
      : stripe_count_(stripe_count), subject_(subject), control_(progress), make_worker_(make_worker) {}

  /// The body of every thread. Nothing is thrown across it.
  void work() {
    try {
      const auto worker = make_worker_(control_);
      while (!control_.stopping()) {
        const std::uint64_t stripe = next_.fetch_add(1, std::memory_order_relaxed);
        if (stripe >= stripe_count_) return;
        if (auto done = worker->run(stripe); !done) return record(done.error());
      }
      record(interrupted_error(subject_));
    } catch (const std::bad_alloc&) {
      record(os_error("allocate memory", subject_, ENOMEM));
    }
  }

  FileResult<void> result() {
    if (error_) return *error_;
    return {};
  }

 private:
  /// The first error wins: the later ones are its echo.
  void record(FileError error) {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::move(error);
    control_.fail();
  }

  const std::uint64_t stripe_count_;
  const std::string& subject_;
  WorkerControl control_;
  const MakeWorker& make_worker_;
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;
  std::optional<FileError> error_;
};

}  // namespace

unsigned default_worker_count() { return std::max(2u, std::thread::hardware_concurrency()); }

FileResult<void> run_workers(unsigned worker_count, std::uint64_t stripe_count, const std::string& subject,
                             Progress& progress, const MakeWorker& make_worker) {
  Run run(stripe_count, subject, progress, make_worker);
  std::vector<std::thread> threads;
  try {
    for (std::uint64_t i = 1; i < std::min<std::uint64_t>(worker_count, stripe_count); ++i)
      threads.emplace_back([&run] { run.work(); });
  } catch (const std::system_error&) {
    // No more threads to be had: the ones that there are do it all.
  }
  run.work();
  for (std::thread& thread : threads) thread.join();
  return run.result();
}

}  // namespace parapet::shard
