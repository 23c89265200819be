// The bytes that the codes are defined to give, computed one byte at a time and on purpose without the product's field,
// matrices and kernels: every case is compared with them before it is timed.
#pragma once

#include "bench/stripe.h"

namespace parapet::bench {

/// Writes the stripe's parity: Reed-Solomon over GF(2^8) mod x^8+x^4+x^3+x^2+1, where parity row r takes data chunk j
/// times 1 / ((k + r) XOR j).
void encode_rs_reference(const Stripe& stripe);

/// The same, and then Hitchhiker-XOR: the second half of parity 1 + (j mod (m - 1)) also takes the first half of data
/// chunk j.
void encode_xrs_reference(const Stripe& stripe);

}  // namespace parapet::bench
