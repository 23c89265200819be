#include "os/transfer.h"

#include <algorithm>
#include <cerrno>

namespace parapet::os {
namespace {

const char* name_of(env::Io::Kind kind) {
  switch (kind) {
    case env::Io::Kind::read:
      return "read";
    case env::Io::Kind::write:
    case env::Io::Kind::write_durable:
      return "write";
    case env::Io::Kind::flush:
      break;
  }
  return "flush";
}

}  // namespace

unsigned Transfer::size() const {
  constexpr std::size_t call_size_max = std::size_t{1} << 30;  // Linux moves at most 2 GiB less one page.
  return static_cast<unsigned>(std::min(left(), call_size_max));
}

bool Transfer::advance(int answer) {
  if (answer == -EINTR || answer == -EAGAIN) return false;
  if (answer < 0) {
    fail("the device failed", -answer);
    return true;
  }
  moved_ += static_cast<std::size_t>(answer);
  if (left() == 0) return true;
  if (answer == 0) fail("the file is shorter than it was", 0);
  return answer == 0;
}

void Transfer::fail(const char* reason, int os_errno) {
  outcome_ = Error{.code = ErrorCode::io_failed, .operation = name_of(kind()), .reason = reason, .os_errno = os_errno};
}

void Transfer::finish() {
  env::Io& io = set_->ios[index_];
  io.result = outcome_;
  io.done = true;
  --set_->pending;
}

std::vector<Transfer>& started_transfers() {
  thread_local std::vector<Transfer> started;
  return started;
}

}  // namespace parapet::os
