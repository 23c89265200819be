#include "bench/reference.h"

#include <gtest/gtest.h>

#include "bench/workbench.h"

namespace parapet::bench {
namespace {

TEST(ReferenceTest, GivesTheProductsBytes) {
  Arena arena;
  for (const Shape shape : {Shape{12, 4}, Shape{4, 2}, Shape{3, 3}}) {
    const Stripe stripe = arena.lay_out(shape, 4096, Layout::contiguous, 1).front();
    const auto expect_parity_of = [&](const std::string& text) {
      const Bytes expected = copy_of(stripe.chunks.data() + shape.k, shape.m, 4096);
      clear(stripe.chunks.data() + shape.k, shape.m, 4096);
      Code::parse(text).value().encode(stripe.data(), stripe.parity()).value();
      EXPECT_EQ(copy_of(stripe.chunks.data() + shape.k, shape.m, 4096), expected) << text;
    };
    encode_rs_reference(stripe);
    expect_parity_of(rs_text(shape));
    encode_xrs_reference(stripe);
    expect_parity_of(xrs_text(shape));
  }
}

}  // namespace
}  // namespace parapet::bench
