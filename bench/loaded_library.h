// Shared libraries that are loaded to be measured beside.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <string>

namespace parapet::bench {

/// Finds a function; false when the library lacks it.
template <class Function>
bool find_function(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function != nullptr;
}

/// The file that a library was loaded from.
inline std::string path_of_library(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return "";
  std::error_code ignored;
  const std::filesystem::path resolved = std::filesystem::canonical(map->l_name, ignored);
  return resolved.empty() ? map->l_name : resolved.string();
}

}  // namespace parapet::bench
