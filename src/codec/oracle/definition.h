// For tests: what a family's codes are, by definition. Nothing here knows how the codec constructs them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "codec/oracle/algebra.h"

namespace parapet::codec::oracle {

/// A code's text, cut. It is taken to be right and without blanks.
struct CodeName {
  explicit CodeName(const std::string& text);
  [[nodiscard]] unsigned option(const std::string& key, unsigned otherwise) const;

  std::string family;
  std::vector<unsigned> numbers;
  std::map<std::string, std::string> options;
};

/// The sub-chunks of a chunk, and those of several chunks.
using Column = std::vector<Bytes>;
using Columns = std::vector<Column>;

/// The parity of data, all sub-chunks of one size.
using Encode = std::function<Columns(const Columns& data)>;

struct Definition {
  unsigned k = 0;
  unsigned m = 0;
  unsigned alpha = 1;
  std::size_t packet_size = 0;
  bool is_mds = true;
  Encode encode;
};

/// Chunks of `alpha` zero sub-chunks, as large as those of `like`.
Columns zeros(unsigned chunk_count, unsigned alpha, const Columns& like);

bool is_prime(unsigned number);
unsigned prime_from(unsigned number);

// One function for the families of a kind.
Definition define_reed_solomon(const CodeName& name);  // rs, reed_sol_r6_op, xor, replication
Definition define_halves(const CodeName& name);        // xrs, hitchhiker
Definition define_lrc(const CodeName& name);
Definition define_clay(const CodeName& name);
Definition define_array(const CodeName& name);       // rdp, evenodd
Definition define_bit_matrix(const CodeName& name);  // Jerasure's codes over packets

/// The definition of a code of any family.
Definition define(const std::string& text);

}  // namespace parapet::codec::oracle
