#include "bench/isal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "bench/loaded_library.h"

namespace parapet::bench {
namespace {

/// Releases from 2.32 on say their version; the file name of older ones ends with it: libisal.so.2.0.30.
std::string version_of(void* handle, const std::string& path) {
  const char* (*isal_get_version_str)() = nullptr;
  if (find_function(handle, "isal_get_version_str", isal_get_version_str)) {
    const std::string text = isal_get_version_str();
    return text.starts_with('v') ? text.substr(1) : text;
  }
  const std::string marker = ".so.2.0.";
  const std::size_t at = path.rfind(marker);
  return at == std::string::npos ? "of unknown version" : fmt::format("2.{}", path.substr(at + marker.size()));
}

}  // namespace

Result<Isal, std::string> Isal::load(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::string("cannot load ") + dlerror();
  Isal isal;
  isal.handle_ = std::shared_ptr<void>(handle, [](void* library) { dlclose(library); });
  const bool complete = find_function(handle, "ec_init_tables", isal.ec_init_tables_) &&
                        find_function(handle, "ec_encode_data", isal.ec_encode_data_) &&
                        find_function(handle, "gf_gen_cauchy1_matrix", isal.gf_gen_cauchy1_matrix_) &&
                        find_function(handle, "gf_invert_matrix", isal.gf_invert_matrix_);
  if (!complete) return path + " is not ISA-L: it lacks the erasure code functions";
  isal.path_ = path_of_library(handle);
  isal.name_ = fmt::format("ISA-L {}", version_of(handle, isal.path_));
  return isal;
}

std::vector<std::uint8_t> Isal::generator(Shape shape) const {
  std::vector<std::uint8_t> rows(std::size_t{shape.n()} * shape.k);
  gf_gen_cauchy1_matrix_(rows.data(), static_cast<int>(shape.n()), static_cast<int>(shape.k));
  return rows;
}

Isal::Tables Isal::tables_of(std::uint8_t* rows, unsigned k, unsigned row_count) const {
  Tables tables(std::size_t{32} * k * row_count);
  ec_init_tables_(static_cast<int>(k), static_cast<int>(row_count), rows, tables.data());
  return tables;
}

Isal::Tables Isal::encode_tables(Shape shape) const {
  std::vector<std::uint8_t> rows = generator(shape);
  return tables_of(rows.data() + std::size_t{shape.k} * shape.k, shape.k, shape.m);
}

Isal::Tables Isal::decode_tables(Shape shape, unsigned lost) const {
  const std::vector<std::uint8_t> rows = generator(shape);
  // The sources are chunks lost..lost+k-1, so their rows lie together.
  std::vector<std::uint8_t> survivors(std::size_t{shape.k} * shape.k);
  std::copy_n(rows.data() + std::size_t{lost} * shape.k, survivors.size(), survivors.data());
  std::vector<std::uint8_t> inverse(survivors.size());
  PARAPET_ASSERT(gf_invert_matrix_(survivors.data(), inverse.data(), static_cast<int>(shape.k)) == 0);
  return tables_of(inverse.data(), shape.k, lost);
}

void Isal::multiply(std::size_t size, unsigned source_count, unsigned row_count, const Tables& tables,
                    std::uint8_t* const* sources, std::uint8_t* const* outputs) const {
  // ISA-L writes neither the tables nor the arrays of pointers; its prototypes only lack the const.
  ec_encode_data_(static_cast<int>(size), static_cast<int>(source_count), static_cast<int>(row_count),
                  const_cast<std::uint8_t*>(tables.data()), const_cast<std::uint8_t**>(sources),
                  const_cast<std::uint8_t**>(outputs));
}

}  // namespace parapet::bench
