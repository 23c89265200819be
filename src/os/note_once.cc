#include "os/note_once.h"

#include <cstdio>
#include <mutex>
#include <set>

namespace parapet::os {

void note_once(const std::string& text) {
  static std::mutex mutex;
  static auto& noted = *new std::set<std::string>;  // Threads that outlive `main` may still note.
  const std::lock_guard lock(mutex);
  if (noted.insert(text).second) std::fprintf(stderr, "parapet: note: %s\n", text.c_str());
}

}  // namespace parapet::os
