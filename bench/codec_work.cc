#include "bench/codec_work.h"

#include <utility>

namespace parapet::bench {

Work encode_work(const Code& code, const std::vector<Stripe>& stripes) {
  struct Arguments {
    std::vector<ConstRegion> data;
    std::vector<Region> parity;
  };
  std::vector<Arguments> arguments;
  for (const Stripe& stripe : stripes) arguments.push_back({stripe.data(), stripe.parity()});
  return [code, arguments = std::move(arguments)](std::size_t call) {
    const Arguments& on = arguments[call % arguments.size()];
    code.encode(on.data, on.parity).value();
  };
}

Work reconstruct_work(const Code& code, const Stripe& stripe, unsigned lost) {
  std::vector<ConstRegion> chunks(stripe.shape.n());
  for (unsigned i = lost; i < stripe.shape.n(); ++i) chunks[i] = {stripe.chunks[i], stripe.chunk_size};
  std::vector<IndexedRegion> wanted;
  for (unsigned i = 0; i < lost; ++i) wanted.push_back({i, {stripe.outputs[i], stripe.chunk_size}});
  return [code, chunks = std::move(chunks), wanted = std::move(wanted)](std::size_t) {
    code.reconstruct(chunks, wanted).value();
  };
}

Work update_work(const Code& code, const Stripe& stripe) {
  const ConstRegion before(stripe.outputs[0], stripe.chunk_size);
  const ConstRegion after(stripe.chunks[0], stripe.chunk_size);
  return [code, before, after, parity = stripe.parity()](std::size_t) {
    code.update(0, 0, before, after, parity).value();
  };
}

Work replace_work(const Code& code, const Stripe& stripe, unsigned count) {
  std::vector<ConstIndexedRegion> deltas;
  for (unsigned i = 0; i < count; ++i) deltas.push_back({i, {stripe.chunks[i], stripe.chunk_size}});
  return [code, deltas = std::move(deltas), parity = stripe.parity()](std::size_t) {
    code.replace(deltas, parity).value();
  };
}

}  // namespace parapet::bench
