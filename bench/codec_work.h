// The product's operations on a stripe, as works to time.
#pragma once

#include "bench/measure.h"
#include "bench/stripe.h"
#include "parapet/codec.h"

namespace parapet::bench {

/// Encodes the stripes in turn, call by call.
Work encode_work(const Code& code, const std::vector<Stripe>& stripes);

/// Rebuilds data chunks 0..lost-1 from the other chunks into the first outputs.
Work reconstruct_work(const Code& code, const Stripe& stripe, unsigned lost);

/// Brings the parity up to date after data chunk 0 changed from the first output to what it is.
Work update_work(const Code& code, const Stripe& stripe);

/// Adds data chunks 0..count-1 to the parity.
Work replace_work(const Code& code, const Stripe& stripe, unsigned count);

}  // namespace parapet::bench
