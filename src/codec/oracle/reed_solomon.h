// For tests: Reed-Solomon generators by definition.
#pragma once

#include <string>

#include "codec/oracle/algebra.h"

namespace parapet::codec::oracle {

/// The parity rows, m rows of k, of the matrix "cauchy", "isal", "jerasure", "par1" or "vandermonde".
std::vector<Bytes> reed_solomon_matrix(const std::string& name, unsigned k, unsigned m);

}  // namespace parapet::codec::oracle
