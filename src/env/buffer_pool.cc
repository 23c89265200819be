#include "env/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <list>
#include <mutex>
#include <new>
#include <vector>

#include "base/sanitizers.h"

namespace parapet::env {
namespace {

constexpr std::size_t page_size = 4096;
constexpr auto alignment = std::align_val_t(page_size);
constexpr std::size_t steps = 4;  ///< Size classes for each doubling.

/// Classes of pages: 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, ...
struct SizeClass {
  std::size_t index;
  std::size_t size;
};

SizeClass class_of(std::size_t size) {
  const std::size_t pages = std::max<std::size_t>((size + page_size - 1) / page_size, 1);
  if (pages <= steps) return {pages - 1, pages * page_size};
  // The class covers (steps + part) << shift pages, for the smallest such number that is no less than `pages`.
  const unsigned shift = static_cast<unsigned>(std::bit_width((pages - 1) / steps)) - 1;
  const std::size_t part = ((pages - 1) >> shift) - steps + 1;  // 1 to steps
  return {steps * (shift + 1) + part - 1, ((steps + part) << shift) * page_size};
}

constexpr std::size_t huge_page_size = 2 << 20;

/// Fresh memory that begins at a huge page, and is made of such where the kernel has them: one fault instead of 512.
std::uint8_t* map_memory(std::size_t size) {
  void* const mapped =
      ::mmap(nullptr, size + huge_page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::uint8_t*>(mapped);
  const std::size_t lead = -reinterpret_cast<std::uintptr_t>(begin) % huge_page_size;
  if (lead > 0) ::munmap(begin, lead);
  ::munmap(begin + lead + size, huge_page_size - lead);
  ::madvise(begin + lead, size, MADV_HUGEPAGE);
  return begin + lead;
}

/// Memory cut into buffers of one size: as many as a huge page has room for, and one at least.
struct Slab {
  explicit Slab(const SizeClass& slab_class)
      : size_class(slab_class), count(std::max<std::size_t>(huge_page_size / size_class.size, 1)) {
    memory = map_memory(size());
    for (std::size_t i = count; i-- > 0;) free.push_back(memory + i * size_class.size);
  }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab() { ::munmap(memory, size()); }

  [[nodiscard]] std::size_t size() const { return count * size_class.size; }
  [[nodiscard]] bool unused() const { return free.size() == count; }

  SizeClass size_class;
  std::size_t count;
  std::uint8_t* memory;
  std::vector<std::uint8_t*> free;
  std::list<Slab*>::iterator among_unused;  ///< While it is unused.
};

class BufferPool {
 public:
  std::shared_ptr<std::uint8_t> take(const SizeClass& size_class) {
    const std::lock_guard lock(mutex_);
    auto& slabs = open_[size_class.index];
    if (slabs.empty()) {
      slabs.push_back(new Slab(size_class));
      now_unused(slabs.back());
      kept_size_ += slabs.back()->size();
    }
    Slab* const slab = slabs.back();
    if (slab->unused()) unused_.erase(slab->among_unused);
    std::uint8_t* const bytes = slab->free.back();
    slab->free.pop_back();
    kept_size_ -= size_class.size;
    if (slab->free.empty()) slabs.pop_back();
    return {bytes, [this, slab](std::uint8_t* given) { give(slab, given); }};
  }

 private:
  void give(Slab* slab, std::uint8_t* bytes) {
    std::unique_ptr<Slab> released;
    const std::lock_guard lock(mutex_);
    if (slab->free.empty()) open_[slab->size_class.index].push_back(slab);
    slab->free.push_back(bytes);
    kept_size_ += slab->size_class.size;
    if (slab->unused()) now_unused(slab);
    if (kept_size_ > kept_size_max && !unused_.empty()) released = release();
  }

  void now_unused(Slab* slab) { slab->among_unused = unused_.insert(unused_.end(), slab); }

  /// The one that nobody has used for the longest time.
  std::unique_ptr<Slab> release() {
    std::unique_ptr<Slab> slab(unused_.front());
    unused_.pop_front();
    std::erase(open_[slab->size_class.index], slab.get());
    kept_size_ -= slab->size();
    return slab;
  }

  std::mutex mutex_;
  std::array<std::vector<Slab*>, 256> open_;  ///< By size: slabs with free buffers.
  std::list<Slab*> unused_;                   ///< Of those the ones without a buffer in use, the newest last.
  std::size_t kept_size_ = 0;                 ///< Of free buffers.
};

/// Never destroyed: buffers may be given back while the process ends.
BufferPool& buffer_pool() {
  static auto* const pool = new BufferPool;
  return *pool;
}

}  // namespace

std::shared_ptr<std::uint8_t> pooled_bytes(std::size_t size) {
  if (base::has_address_sanitizer) {
    return {static_cast<std::uint8_t*>(::operator new(std::max<std::size_t>(size, 1), alignment)),
            [](std::uint8_t* bytes) { ::operator delete(bytes, alignment); }};
  }
  return buffer_pool().take(class_of(size));
}

}  // namespace parapet::env
