#include "os/blocking.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace parapet::os {
namespace {

/// Some sandboxes know pwritev2 but none of its flags.
ssize_t write_durable(int fd, const iovec& bytes, off_t offset) {
  const ssize_t written = ::pwritev2(fd, &bytes, 1, offset, RWF_DSYNC);
  if (written >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return written;
  const ssize_t plain = ::pwrite(fd, bytes.iov_base, bytes.iov_len, offset);
  return plain >= 0 && ::fdatasync(fd) < 0 ? -1 : plain;
}

ssize_t call(const Transfer& transfer) {
  const auto offset = static_cast<off_t>(transfer.offset());
  switch (transfer.kind()) {
    case env::Io::Kind::read:
      return ::pread(transfer.fd(), transfer.data(), transfer.size(), offset);
    case env::Io::Kind::write:
      return ::pwrite(transfer.fd(), transfer.data(), transfer.size(), offset);
    case env::Io::Kind::write_durable:
      return write_durable(transfer.fd(), {transfer.data(), transfer.size()}, offset);
    case env::Io::Kind::flush:
      break;
  }
  return ::fdatasync(transfer.fd());
}

}  // namespace

void run_blocking(Transfer& transfer) {
  ssize_t answer = 0;
  do {
    answer = call(transfer);
  } while (!transfer.advance(answer < 0 ? -errno : static_cast<int>(answer)));
}

}  // namespace parapet::os
