#include "os/io_workers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "os/blocking.h"
#include "os/steady_now.h"

namespace parapet::os {

constexpr std::size_t worker_count_max = 64;

IoWorkers::~IoWorkers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_waits_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void IoWorkers::run(std::span<Transfer> transfers, env::Time deadline) {
  const auto batch = std::make_shared<Batch>();
  batch->transfers.assign(std::move_iterator(transfers.begin()), std::move_iterator(transfers.end()));
  batch->over.assign(transfers.size(), false);
  batch->left = transfers.size();
  const bool takes_part = deadline == env::never;
  enqueue(batch, transfers.size() - (takes_part ? 1 : 0));
  if (takes_part) execute({batch, transfers.size() - 1});
  wait_for(*batch, deadline);
}

void IoWorkers::enqueue(const std::shared_ptr<Batch>& batch, std::size_t count) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < count; ++i) queue_.push_back({batch, i});
  for (; queue_.size() > idle_ && threads_.size() < worker_count_max; ++idle_)
    threads_.emplace_back([this] { work(); });
  count == 1 ? work_waits_.notify_one() : work_waits_.notify_all();
}

void IoWorkers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_waits_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const Task task = std::move(queue_.front());
    queue_.pop_front();
    --idle_;
    lock.unlock();
    execute(task);
    lock.lock();
    ++idle_;
  }
}

void IoWorkers::execute(const Task& task) {
  Batch& batch = *task.batch;
  run_blocking(batch.transfers[task.index]);
  const std::lock_guard lock(mutex_);
  batch.over[task.index] = true;
  if (--batch.left == 0) batch.all_over.notify_one();
}

void IoWorkers::wait_for(Batch& batch, env::Time deadline) {
  std::unique_lock lock(mutex_);
  const auto all_are_over = [&] { return batch.left == 0; };
  if (deadline == env::never)
    batch.all_over.wait(lock, all_are_over);
  else
    batch.all_over.wait_until(lock, time_point_of(deadline), all_are_over);
  std::erase_if(queue_, [&](const Task& task) { return task.batch.get() == &batch; });
  for (std::size_t i = 0; i < batch.transfers.size(); ++i)
    if (batch.over[i]) batch.transfers[i].finish();
}

}  // namespace parapet::os
