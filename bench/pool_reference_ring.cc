// The reference load on one io_uring: no engine, no locks, no threads.
#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <sys/uio.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "base/try.h"
#include "bench/pool_places.h"
#include "bench/pool_reference.h"
#include "os/descriptor.h"

namespace parapet::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Direct where the file system allows it.
os::Descriptor open_file(const std::string& path) {
  const int direct = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_DIRECT);
  return os::Descriptor(direct >= 0 ? direct : ::open(path.c_str(), O_RDWR | O_CLOEXEC));
}

class RingLoad {
 public:
  RingLoad(const Load& load, const std::vector<os::Descriptor>& files, std::uint64_t file_size)
      : load_(load), files_(files) {
    for (unsigned i = 0; i < load.depth; ++i)
      operations_.emplace_back(load, static_cast<unsigned>(files.size()), file_size, i);
  }
  RingLoad(const RingLoad&) = delete;
  RingLoad& operator=(const RingLoad&) = delete;
  ~RingLoad() {
    if (made_) io_uring_queue_exit(&ring_);
  }

  Result<void, Failure> make() {
    const int answer = io_uring_queue_init(load_.depth * load_.width, &ring_, 0);
    made_ = answer == 0;
    if (!made_) return fmt::format("io_uring is not available: {}", std::strerror(-answer));
    return {};
  }

  /// Keeps `depth` operations under way for so long, then waits for the last ones.
  Result<std::vector<float>, Failure> run(double seconds) {
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    for (Operation& operation : operations_) start(operation);
    while (under_way_ > 0) {
      io_uring_submit_and_wait(&ring_, 1);
      io_uring_cqe* done = nullptr;
      while (io_uring_peek_cqe(&ring_, &done) == 0) {
        auto& operation = *static_cast<Operation*>(io_uring_cqe_get_data(done));
        if (done->res != static_cast<int>(load_.size))
          return fmt::format("reference load: an access of {} bytes gave {}", load_.size, done->res);
        io_uring_cqe_seen(&ring_, done);
        if (--operation.left > 0) continue;
        if (operation.reading) {
          operation.reading = false;
          access(operation, load_.kind, load_.width);
        } else {
          finish(operation, end);
        }
      }
    }
    return std::move(latencies_us_);
  }

 private:
  struct Operation {
    Operation(const Load& load, unsigned file_count, std::uint64_t file_size, unsigned turn)
        : places(load, file_count, file_size, turn, load.depth), buffer(load.size * load.width) {
      base::Prng(turn).fill(buffer.data(), buffer.size());
    }
    Places places;
    env::IoBuffer buffer;
    unsigned left = 0;
    bool reading = false;  ///< Before the accesses.
    Clock::time_point started;
  };

  void start(Operation& operation) {
    operation.started = Clock::now();
    operation.places.advance();
    operation.reading = load_.after_read;
    ++under_way_;
    if (operation.reading) {
      access(operation, Load::Kind::read, 1);
    } else {
      access(operation, load_.kind, load_.width);
    }
  }

  void access(Operation& operation, Load::Kind kind, unsigned width) {
    operation.left = width;
    for (unsigned i = 0; i < width; ++i) {
      io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
      const int fd = files_[operation.places.file(i)].fd();
      std::uint8_t* const bytes = operation.buffer.data() + i * load_.size;
      const auto size = static_cast<unsigned>(load_.size);
      const std::uint64_t offset = operation.places.next_offset();
      if (kind == Load::Kind::read)
        io_uring_prep_read(entry, fd, bytes, size, offset);
      else
        io_uring_prep_write(entry, fd, bytes, size, offset);
      if (kind == Load::Kind::write_durable) entry->rw_flags = RWF_DSYNC;
      io_uring_sqe_set_data(entry, &operation);
    }
  }

  void finish(Operation& operation, Clock::time_point end) {
    const auto now = Clock::now();
    latencies_us_.push_back(std::chrono::duration<float, std::micro>(now - operation.started).count());
    --under_way_;
    if (now < end) start(operation);
  }

  const Load& load_;
  const std::vector<os::Descriptor>& files_;
  io_uring ring_{};
  bool made_ = false;
  std::vector<Operation> operations_;
  unsigned under_way_ = 0;
  std::vector<float> latencies_us_;
};

}  // namespace

Result<Timing, Failure> ReferenceFiles::run_ring(const Load& load, double seconds) {
  std::vector<os::Descriptor> files;
  for (unsigned i = 0; i < count(); ++i) {
    files.push_back(open_file(path(i)));
    if (!files.back().is_open()) return fmt::format("cannot open {}", path(i));
  }
  RingLoad ring(load, files, file_size_);
  PARAPET_CHECK(ring.make());
  const Stopwatch watch;
  PARAPET_TRY(auto latencies_us, ring.run(seconds));
  if (load.kind == Load::Kind::write)
    for (const auto& file : files)
      if (::fdatasync(file.fd()) < 0) return fmt::format("reference load: fdatasync: {}", std::strerror(errno));
  return watch.finish(std::move(latencies_us));
}

}  // namespace parapet::bench
