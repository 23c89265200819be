#include "env/io_batch.h"

#include <cerrno>

#include "base/assert.h"

namespace parapet::env {

IoBatch::IoBatch(World& world) : world_(world), set_(std::make_shared<IoSet>()) {}

std::size_t IoBatch::add(Io::Kind kind, Disk& disk, std::uint64_t offset, const IoBuffer& buffer) {
  PARAPET_ASSERT(offset % io_alignment == 0 && buffer.size() % io_alignment == 0);
  PARAPET_ASSERT(offset <= disk.size() && buffer.size() <= disk.size() - offset);
  set_->ios.push_back({kind, &disk, offset, buffer, false, {}});
  return set_->ios.size() - 1;
}

std::size_t IoBatch::read(Disk& disk, std::uint64_t offset, const IoBuffer& into) {
  return add(Io::Kind::read, disk, offset, into);
}

std::size_t IoBatch::write(Disk& disk, std::uint64_t offset, const IoBuffer& from) {
  return add(Io::Kind::write, disk, offset, from);
}

std::size_t IoBatch::write_durable(Disk& disk, std::uint64_t offset, const IoBuffer& from) {
  return add(Io::Kind::write_durable, disk, offset, from);
}

std::size_t IoBatch::flush(Disk& disk) { return add(Io::Kind::flush, disk, 0, {}); }

void IoBatch::run_in_parts(std::size_t size_max, Time deadline) {
  auto& ios = set_->ios;
  for (std::size_t begin = 0, end = 0; begin < ios.size() && set_->pending == 0; begin = end) {
    std::size_t size = 0;
    while (end < ios.size() && size < size_max) size += ios[end++].buffer.size();
    set_->pending = end - begin;
    for (std::size_t i = begin; i < end; ++i) ios[i].disk->start(set_, i);
    world_.wait(set_, deadline);
  }
}

Result<void> IoBatch::result(std::size_t index) const {
  const Io& io = set_->ios[index];
  if (io.done) return io.result;
  return Error{.code = ErrorCode::io_failed,
               .operation = "disk",
               .reason = "no answer before the deadline",
               .os_errno = ETIMEDOUT};
}

Result<void> IoBatch::first_error() const {
  for (std::size_t i = 0; i < size(); ++i)
    if (auto outcome = result(i); !outcome) return outcome;
  return {};
}

}  // namespace parapet::env
