#include "bench/jerasure.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "bench/loaded_library.h"

namespace parapet::bench {

Result<Jerasure, std::string> Jerasure::load(const std::string& path) {
  // Jerasure keeps its fields' tables until the program ends, and so has to stay itself.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return std::string("cannot load ") + dlerror();
  Jerasure jerasure;
  jerasure.handle_ = std::shared_ptr<void>(handle, [](void* library) { dlclose(library); });
  const bool complete =
      find_function(handle, "cauchy_original_coding_matrix", jerasure.cauchy_original_coding_matrix_) &&
      find_function(handle, "cauchy_good_general_coding_matrix", jerasure.cauchy_good_general_coding_matrix_) &&
      find_function(handle, "jerasure_matrix_to_bitmatrix", jerasure.jerasure_matrix_to_bitmatrix_) &&
      find_function(handle, "liberation_coding_bitmatrix", jerasure.liberation_coding_bitmatrix_) &&
      find_function(handle, "blaum_roth_coding_bitmatrix", jerasure.blaum_roth_coding_bitmatrix_) &&
      find_function(handle, "liber8tion_coding_bitmatrix", jerasure.liber8tion_coding_bitmatrix_) &&
      find_function(handle, "jerasure_smart_bitmatrix_to_schedule", jerasure.jerasure_smart_bitmatrix_to_schedule_) &&
      find_function(handle, "jerasure_schedule_encode", jerasure.jerasure_schedule_encode_) &&
      find_function(handle, "jerasure_free_schedule", jerasure.jerasure_free_schedule_) &&
      find_function(handle, "reed_sol_vandermonde_coding_matrix", jerasure.reed_sol_vandermonde_coding_matrix_) &&
      find_function(handle, "jerasure_matrix_encode", jerasure.jerasure_matrix_encode_) &&
      find_function(handle, "reed_sol_r6_encode", jerasure.reed_sol_r6_encode_);
  if (!complete) return path + " is not Jerasure: it lacks its coding functions";
  jerasure.path_ = path_of_library(handle);
  return jerasure;
}

namespace {

// Jerasure's arrays come from malloc.
std::shared_ptr<int> owned(int* matrix) { return {matrix, std::free}; }

/// Pointers as Jerasure wants them: not const, and char.
std::vector<char*> pointers(std::uint8_t* const* chunks, unsigned count) {
  std::vector<char*> result;
  for (unsigned i = 0; i < count; ++i) result.push_back(reinterpret_cast<char*>(chunks[i]));
  return result;
}

}  // namespace

Jerasure::Matrix Jerasure::bit_matrix_of(const std::string& family, int k, int m, int w) const {
  const auto expanded = [&](int* elements) {
    return owned(jerasure_matrix_to_bitmatrix_(k, m, w, owned(elements).get()));
  };
  if (family == "cauchy_orig") return expanded(cauchy_original_coding_matrix_(k, m, w));
  if (family == "cauchy_good") return expanded(cauchy_good_general_coding_matrix_(k, m, w));
  if (family == "liberation") return owned(liberation_coding_bitmatrix_(k, w));
  if (family == "blaum_roth") return owned(blaum_roth_coding_bitmatrix_(k, w));
  PARAPET_ASSERT(family == "liber8tion");
  return owned(liber8tion_coding_bitmatrix_(k));
}

Work Jerasure::schedule_work(Matrix bit_matrix, const Code& code, const Stripe& stripe) const {
  const int k = static_cast<int>(code.k()), m = static_cast<int>(code.m()), w = static_cast<int>(code.alpha());
  const std::shared_ptr<int*> schedule(jerasure_smart_bitmatrix_to_schedule_(k, m, w, bit_matrix.get()),
                                       jerasure_free_schedule_);
  const int size = static_cast<int>(stripe.chunk_size);
  const int packet_size = code.packet_size() == 0 ? size / w : static_cast<int>(code.packet_size());
  return [*this, k, m, w, schedule, size, packet_size, data = pointers(stripe.chunks.data(), code.k()),
          parity = pointers(stripe.chunks.data() + code.k(), code.m())](std::size_t) mutable {
    jerasure_schedule_encode_(k, m, w, schedule.get(), data.data(), parity.data(), size, packet_size);
  };
}

Work Jerasure::encode_work(const Code& code, const Stripe& stripe) const {
  const std::string family = code.text().substr(0, code.text().find('('));
  const int k = static_cast<int>(code.k()), m = static_cast<int>(code.m());
  const int size = static_cast<int>(stripe.chunk_size);
  if (family != "rs" && family != "reed_sol_r6_op")
    return schedule_work(bit_matrix_of(family, k, m, static_cast<int>(code.alpha())), code, stripe);
  auto data = pointers(stripe.chunks.data(), code.k());
  auto parity = pointers(stripe.chunks.data() + code.k(), code.m());
  constexpr int w = 8;
  if (family == "reed_sol_r6_op")
    return [*this, k, size, data, parity](std::size_t) mutable {
      reed_sol_r6_encode_(k, w, data.data(), parity.data(), size);
    };
  const Matrix matrix = owned(reed_sol_vandermonde_coding_matrix_(k, m, w));
  return [*this, k, m, size, matrix, data, parity](std::size_t) mutable {
    jerasure_matrix_encode_(k, m, w, matrix.get(), data.data(), parity.data(), size);
  };
}

}  // namespace parapet::bench
