// Jerasure 2, loaded at run time to be measured beside. Nothing of it is linked.
#pragma once

#include <memory>
#include <string>

#include "bench/measure.h"
#include "bench/stripe.h"
#include "parapet/codec.h"
#include "parapet/result.h"

namespace parapet::bench {

/// One loaded library. Cheap to copy; the library stays loaded as long as a copy lives.
class Jerasure {
 public:
  /// Loads `path`, searched for as dlopen does. The error is one line for people.
  static Result<Jerasure, std::string> load(const std::string& path);

  /// The file that was loaded.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Encodes `stripe` as Jerasure does with the technique that gives the bytes of `code`: schedules where it has bit
  /// matrices, made before. `code` is of a family that is Jerasure's, or rs with matrix=jerasure.
  [[nodiscard]] Work encode_work(const Code& code, const Stripe& stripe) const;

 private:
  using Matrix = std::shared_ptr<int>;

  Jerasure() = default;
  [[nodiscard]] Work schedule_work(Matrix bit_matrix, const Code& code, const Stripe& stripe) const;
  [[nodiscard]] Matrix bit_matrix_of(const std::string& family, int k, int m, int w) const;

  std::shared_ptr<void> handle_;
  std::string path_;
  int* (*cauchy_original_coding_matrix_)(int k, int m, int w) = nullptr;
  int* (*cauchy_good_general_coding_matrix_)(int k, int m, int w) = nullptr;
  int* (*jerasure_matrix_to_bitmatrix_)(int k, int m, int w, int* matrix) = nullptr;
  int* (*liberation_coding_bitmatrix_)(int k, int w) = nullptr;
  int* (*blaum_roth_coding_bitmatrix_)(int k, int w) = nullptr;
  int* (*liber8tion_coding_bitmatrix_)(int k) = nullptr;
  int** (*jerasure_smart_bitmatrix_to_schedule_)(int k, int m, int w, int* bit_matrix) = nullptr;
  void (*jerasure_schedule_encode_)(int k, int m, int w, int** schedule, char** data, char** parity, int size,
                                    int packet_size) = nullptr;
  void (*jerasure_free_schedule_)(int** schedule) = nullptr;
  int* (*reed_sol_vandermonde_coding_matrix_)(int k, int m, int w) = nullptr;
  void (*jerasure_matrix_encode_)(int k, int m, int w, int* matrix, char** data, char** parity, int size) = nullptr;
  int (*reed_sol_r6_encode_)(int k, int w, char** data, char** parity, int size) = nullptr;
};

}  // namespace parapet::bench
