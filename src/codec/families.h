// The list of code families: adding one is a folder and an entry here.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "codec/code_impl.h"
#include "codec/code_text.h"

namespace parapet::codec {

struct Family {
  std::string_view name;
  std::string_view usage;
  Result<std::shared_ptr<const CodeImpl>> (*make)(const CodeText& text, const gf::Kernels& kernels);
};

std::span<const Family> families();

}  // namespace parapet::codec
