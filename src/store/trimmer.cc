#include "store/trimmer.h"

#include <cstring>

#include "base/mutant.h"
#include "base/try.h"
#include "store/io_time.h"

namespace parapet::store {

class Trimmer {
 public:
  explicit Trimmer(Store& store) : store_(store) {}

  Result<void> run() {
    env::IoBatch io(store_.world_);
    choose(io);
    if (io.size() > 0) {
      if (!base::broken(base::Mutant::trim_without_images))
        io.run_in_parts(background_io_size, store_.world_.now() + io_time_max);
      if (!base::broken(base::Mutant::trim_without_images)) PARAPET_CHECK(io.first_error());
      if (!base::broken(base::Mutant::trim_without_flush)) PARAPET_CHECK(store_.flush_device());
    }
    return move_head();
  }

 private:
  /// The pages records before the first update that still counts, and the writes of their images.
  void choose(env::IoBatch& io) {
    const env::Lock lock(*store_.mutex_);
    for (const RecordPtr& record : store_.log_.live()) {
      if (record->header.lsn >= store_.log_.flushed()) break;
      if (record->freeable(store_.log_.flushed())) continue;
      // An image that a newer one replaces is needed until that one is durable itself.
      if (record->header.kind != layout::RecordKind::pages ||
          !store_.images_.newest_before(*record, store_.log_.flushed()))
        break;
      store_.images_.for_each_of(record, [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
        const env::IoBuffer buffer(bytes.size());
        std::memcpy(buffer.data(), bytes.data(), bytes.size());
        io.write(store_.disk_, offset, buffer);
      });
      records_.push_back(record);
    }
  }

  Result<void> move_head() {
    layout::Lsn head = 0, flushed = 0;
    std::uint32_t ballot = 0;
    std::vector<RecordPtr> dropped;
    {
      const env::Lock lock(*store_.mutex_);
      for (const RecordPtr& record : records_) {
        store_.images_.drop_of(record);
        record->freeable_from = 0;
      }
      head = store_.log_.drop_freeable(dropped);
      flushed = store_.log_.flushed();
      ballot = store_.log_.dropped_ballot();
      if (head == store_.log_.head()) return {};
    }
    PARAPET_CHECK(store_.update_superblock([&](layout::Superblock& superblock) {
      superblock.log_head = head;
      superblock.log_flushed = flushed;
      superblock.log_ballot = ballot;
    }));
    const env::Lock lock(*store_.mutex_);
    store_.log_.set_head(head);
    store_.starved_ = false;
    store_.space_.head_passed(head);
    store_.tell_room_grew();
    return {};
  }

  Store& store_;
  std::vector<RecordPtr> records_;
};

Result<void> trim(Store& store) { return Trimmer(store).run(); }

}  // namespace parapet::store
