#include "parapet/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/try.h"

namespace parapet {
namespace {

enum class Fault { small, large };

Result<int, Fault> half(int number) {
  if (number % 2 != 0) return Fault::small;
  return number / 2;
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int, Fault> good = half(8);
  ASSERT_TRUE(good.has_value());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(good.value(), 4);
  EXPECT_EQ(*good, 4);
  const Result<int, Fault> bad = half(7);
  EXPECT_FALSE(bad.has_value());
  EXPECT_FALSE(static_cast<bool>(bad));
  EXPECT_EQ(bad.error(), Fault::small);
}

TEST(Result, TheValueMayBeTheErrorType) {
  const Result<Error, int> result = Error{ErrorCode::corrupt, "scrub", "rotten"};
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->message(), "scrub: rotten");
}

TEST(Result, ValueOrTakesTheFallbackOnlyAfterAnError) {
  EXPECT_EQ(half(8).value_or(-1), 4);
  EXPECT_EQ(half(7).value_or(-1), -1);
}

TEST(Result, ValuesAreChangedInPlaceAndMovedOut) {
  Result<std::unique_ptr<std::string>> result = std::make_unique<std::string>("chunk");
  **result += 's';
  EXPECT_EQ(**result, "chunks");
  const std::unique_ptr<std::string> taken = std::move(result).value();
  EXPECT_EQ(*taken, "chunks");
  EXPECT_EQ(*std::move(result), nullptr) << "the value was moved out, not copied";
}

TEST(Result, VoidHoldsSuccessOrAnError) {
  const Result<void> good;
  EXPECT_TRUE(good.has_value());
  good.value();
  const Result<void> bad = Error{ErrorCode::no_space, "write", "the disk is full"};
  EXPECT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().code, ErrorCode::no_space);
}

TEST(ResultDeathTest, ReadingTheValueOfAFailedResultAborts) {
  const Result<int> failed = Error{ErrorCode::not_found, "open", "no chunk {}", {3}};
  EXPECT_DEATH(static_cast<void>(failed.value()), "open: no chunk 3");
  EXPECT_DEATH(static_cast<void>(half(7).value()), "failed Result");
  const Result<void> failed_void = Error{ErrorCode::not_found, "open", "no chunk {}", {4}};
  EXPECT_DEATH(failed_void.value(), "open: no chunk 4");
}

Result<int, Fault> quarter(int number) {
  PARAPET_TRY(const int once, half(number));
  PARAPET_TRY(const int twice, half(once));
  return twice;
}

Result<std::unique_ptr<int>> boxed(bool works) {
  if (!works) return Error{ErrorCode::interrupted, "box", "stopped"};
  return std::make_unique<int>(5);
}

Result<int> unboxed(bool works) {
  PARAPET_TRY(const std::unique_ptr<int> box, boxed(works));
  return *box;
}

Result<int> checked(const Result<void>& first, const Result<void>& second) {
  PARAPET_CHECK(first);
  PARAPET_CHECK(second);
  return 1;
}

TEST(Try, ReturnsTheFirstErrorElseBindsTheValue) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error(), Fault::small);
  EXPECT_EQ(unboxed(true).value(), 5);
  EXPECT_EQ(unboxed(false).error().code, ErrorCode::interrupted);
}

TEST(Check, ReturnsTheFirstError) {
  const Result<void> good;
  const Result<void> full = Error{ErrorCode::no_space, "a", ""};
  const Result<void> lost = Error{ErrorCode::too_many_losses, "b", ""};
  EXPECT_EQ(checked(good, good).value(), 1);
  EXPECT_EQ(checked(full, lost).error().code, ErrorCode::no_space);
  EXPECT_EQ(checked(good, lost).error().code, ErrorCode::too_many_losses);
}

TEST(Error, MessagePutsValuesInTheirPlaces) {
  EXPECT_EQ((Error{ErrorCode::corrupt, "op", "plain"}.message()), "op: plain");
  EXPECT_EQ((Error{ErrorCode::corrupt, "op", "chunk {} has {} bytes, expected {}", {3, 17, 16}}.message()),
            "op: chunk 3 has 17 bytes, expected 16");
  EXPECT_EQ((Error{ErrorCode::corrupt, "op", "{}", {~std::uint64_t{0}}}.message()), "op: 18446744073709551615");
  EXPECT_EQ((Error{ErrorCode::corrupt, "op", "{}{}{}", {1, 2, 3}}.message()), "op: 123");
  EXPECT_EQ((Error{ErrorCode::corrupt, "op", ""}.message()), "op: ");
}

TEST(Error, MessageKeepsBracesBeyondTheValues) {
  EXPECT_EQ((Error{ErrorCode::corrupt, "op", "{} {} {} {} end", {1, 2, 3}}.message()), "op: 1 2 3 {} end");
}

TEST(Error, MessageNamesTheSystemsError) {
  EXPECT_EQ((Error{ErrorCode::io_failed, "read", "chunk {}", {2}, EIO}.message()),
            std::string("read: chunk 2: ") + std::strerror(EIO));
}

}  // namespace
}  // namespace parapet
