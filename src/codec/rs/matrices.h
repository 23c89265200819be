// The Reed-Solomon generators that are in use on people's disks. All over GF(2^8), polynomial 0x11D.
#pragma once

#include "gf/matrix.h"

namespace parapet::codec {

/// row r, column c: 1 / ((k + r) xor c). ISA-L gf_gen_cauchy1_matrix, templexxx XRS, klauspost WithCauchyMatrix.
/// MDS for k + m <= 256.
gf::Matrix cauchy_matrix(unsigned k, unsigned m);

/// row r, column c: 2^(r * c). ISA-L gf_gen_rs_matrix; MDS only where `isal_matrix_is_mds` says so.
gf::Matrix isal_matrix(unsigned k, unsigned m);
bool isal_matrix_is_mds(unsigned k, unsigned m);

/// row r, column c: (c + 1)^r. klauspost WithPAR1Matrix, after the PAR1 file format; MDS for m <= 3, else seldom.
gf::Matrix par1_matrix(unsigned k, unsigned m);

/// V * inverse(top of V) with V[r][c] = r^c, 0^0 = 1: Backblaze JavaReedSolomon, klauspost default.
gf::Matrix vandermonde_matrix(unsigned k, unsigned m);

/// Jerasure's reed_sol_van with w = 8 (Plank, Ding: "Note: Correction to the 1997 tutorial", 2003): an extended
/// Vandermonde matrix brought to systematic form by column operations, scaled to ones in the first row and column.
gf::Matrix jerasure_matrix(unsigned k, unsigned m);

}  // namespace parapet::codec
