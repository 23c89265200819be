#include "os/file_disk.h"

#include "base/try.h"

namespace parapet::os {

void FileDisk::start(const std::shared_ptr<env::IoSet>& set, std::size_t index) {
  started_transfers().emplace_back(file_, set, index);
}

std::string FileDisk::mode() const {
  if (file_->in_memory) return "in memory";
  const std::string engine = world_.io_engine() == IoEngine::ring ? "io_uring" : "worker threads";
  return engine + (file_->direct ? ", direct" : ", through the page cache");
}

Result<std::unique_ptr<FileDisk>> open_disk(const RealWorld& world, const std::string& path) {
  PARAPET_TRY(auto file, open_disk_file(path));
  return std::make_unique<FileDisk>(world, path, std::move(file));
}

}  // namespace parapet::os
