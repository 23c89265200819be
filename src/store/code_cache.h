// Codes by their texts: making one costs, and a pool has few.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "env/world.h"
#include "parapet/codec.h"

namespace parapet::store {

/// Any number of threads may use it.
class CodeCache {
 public:
  explicit CodeCache(env::World& world) : mutex_(world.make_mutex()) {}

  /// Errors: those of Code::parse.
  Result<Code> code(const std::string& text) {
    const env::Lock lock(*mutex_);
    if (const auto it = codes_.find(text); it != codes_.end()) return it->second;
    auto code = Code::parse(text);
    if (code) codes_.emplace(text, *code);
    return code;
  }

 private:
  std::unique_ptr<env::Mutex> mutex_;
  std::map<std::string, Code> codes_;
};

}  // namespace parapet::store
