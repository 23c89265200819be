#include "bench/pool_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/try.h"
#include "bench/pool_places.h"
#include "env/io_batch.h"

namespace parapet::bench {
namespace {

constexpr std::size_t fill_step = 1 << 20;

env::IoBuffer random_buffer(std::size_t size) {
  env::IoBuffer buffer(size);
  base::Prng(size).fill(buffer.data(), size);
  return buffer;
}

/// One thread's share of a load.
class Worker {
 public:
  Worker(const Load& load, unsigned file_count, std::uint64_t file_size, unsigned thread)
      : load_(load), places_(load, file_count, file_size, thread, load.depth) {
    for (unsigned i = 0; i < load.width; ++i) buffers_.push_back(random_buffer(load.size));
  }

  Result<void> operate(env::World& world, const std::vector<std::unique_ptr<os::FileDisk>>& disks) {
    places_.advance();
    if (load_.after_read) {
      env::IoBatch before(world);
      before.read(*disks[places_.file(0)], places_.next_offset(), buffers_[0]);
      before.run();
      PARAPET_CHECK(before.first_error());
    }
    env::IoBatch io(world);
    for (unsigned i = 0; i < load_.width; ++i) add(io, *disks[places_.file(i)], places_.next_offset(), buffers_[i]);
    io.run();
    return io.first_error();
  }

 private:
  void add(env::IoBatch& io, env::Disk& disk, std::uint64_t offset, const env::IoBuffer& buffer) const {
    switch (load_.kind) {
      case Load::Kind::read:
        io.read(disk, offset, buffer);
        break;
      case Load::Kind::write:
        io.write(disk, offset, buffer);
        break;
      case Load::Kind::write_durable:
        io.write_durable(disk, offset, buffer);
        break;
    }
  }

  const Load& load_;
  Places places_;
  std::vector<env::IoBuffer> buffers_;
};

}  // namespace

Result<std::unique_ptr<ReferenceFiles>, Failure> ReferenceFiles::make(os::RealWorld& world, const std::string& parent,
                                                                      unsigned count, std::uint64_t file_size) {
  PARAPET_TRY(BenchDirectory directory, BenchDirectory::make(parent));
  std::unique_ptr<ReferenceFiles> files(new ReferenceFiles(world, std::move(directory), file_size));
  for (unsigned i = 0; i < count; ++i) {
    const std::string folder = files->directory_ / fmt::format("file-{}", i);
    PARAPET_CHECK(or_failure(os::DeviceDirectory::create(folder, file_size), "making " + folder));
    PARAPET_TRY(auto disk, or_failure(os::open_disk(world, folder + "/device"), "opening " + folder));
    PARAPET_CHECK(files->write_all(*disk));
    files->disks_.push_back(std::move(disk));
  }
  PARAPET_CHECK(files->flush_all());
  return files;
}

Result<void, Failure> ReferenceFiles::write_all(env::Disk& disk) {
  const env::IoBuffer bytes = random_buffer(fill_step);
  for (std::uint64_t offset = 0; offset < file_size_; offset += fill_step) {
    env::IoBatch io(world_);
    io.write(disk, offset, bytes.part(0, std::min<std::uint64_t>(fill_step, file_size_ - offset)));
    io.run();
    PARAPET_CHECK(or_failure(io.first_error(), "writing a reference file"));
  }
  return {};
}

Result<void, Failure> ReferenceFiles::flush_all() {
  env::IoBatch io(world_);
  for (const auto& disk : disks_) io.flush(*disk);
  io.run();
  return or_failure(io.first_error(), "flushing the reference files");
}

Result<Timing, Failure> ReferenceFiles::run_threads(const Load& load, double seconds) {
  std::vector<Worker> workers;
  for (unsigned i = 0; i < load.depth; ++i) workers.emplace_back(load, count(), file_size_, i);
  TimedWork work;
  work.thread_count = load.depth;
  work.seconds = seconds;
  work.operation = [&](unsigned thread) -> Result<bool, Failure> {
    PARAPET_CHECK(or_failure(workers[thread].operate(world_, disks_), "reference load"));
    return true;
  };
  if (load.kind == Load::Kind::write) work.last = [&] { return flush_all(); };
  return time_work(work);
}

}  // namespace parapet::bench
