// SPDX-License-Identifier: Apache-2.0
#include "base/dimensional.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace podsim::base {
namespace {

using Kind = Dimensional::Kind;

SourceLocation whole_line(std::string text) { return {"m.toml", 1, 1, int(text.size()), text}; }

Dimensional parse(const std::string& text) { return parse_dimensional(text, whole_line(text)); }

Diagnostic diagnostic_of(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.diagnostics().at(0);
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

TEST(Dimensional, ReadsEveryDimension) {
  EXPECT_EQ(parse("940 MHz"), (Dimensional{Kind::frequency, 940e6}));
  EXPECT_EQ(parse("82 GB/s"), (Dimensional{Kind::bandwidth, 82e9}));
  EXPECT_EQ(parse("16 MiB"), (Dimensional{Kind::bytes, 16.0 * 1024 * 1024}));
  EXPECT_EQ(parse("300 ns"), (Dimensional{Kind::duration, 300e-9}));
  EXPECT_EQ(parse("2 \u00b5s"), (Dimensional{Kind::duration, 2e-6}));
  EXPECT_EQ(parse("0.5 pJ"), (Dimensional{Kind::energy, 0.5e-12}));
  EXPECT_EQ(parse("450 W"), (Dimensional{Kind::power, 450}));
  EXPECT_EQ(parse("135 cycles"), (Dimensional{Kind::cycles, 135}));
}

TEST(Dimensional, BitsAreAnEighthOfBytes) {
  EXPECT_EQ(parse("656 Gb/s"), parse("82 GB/s"));
  EXPECT_EQ(parse("8 Kib"), parse("1 KiB"));
}

TEST(Dimensional, TakesSignsExponentsAndNoBlank) {
  EXPECT_EQ(parse("+9.4e2MHz"), parse(" 940  MHz "));
  EXPECT_EQ(parse(".5 us"), parse("500 ns"));
}

TEST(Dimensional, PointsAtTheUnitItDoesNotKnow) {
  Diagnostic diagnostic = diagnostic_of("940 Mhz");
  EXPECT_EQ(diagnostic.message, "'Mhz' is not a unit");
  EXPECT_EQ(diagnostic.hint, "did you mean 'MHz'?");
  EXPECT_EQ(diagnostic.location.column, 5);
  EXPECT_EQ(diagnostic.location.length, 3);
}

TEST(Dimensional, DoesNotGuessWhatKBMeans) {
  EXPECT_EQ(diagnostic_of("16 KB").hint, "write kB for 1000 bytes or KiB for 1024");
  EXPECT_EQ(diagnostic_of("16 Kb/s").hint, "write kb/s for 1000 bits or Kib/s for 1024");
}

TEST(Dimensional, RefusesWhatIsNoQuantity) {
  EXPECT_EQ(diagnostic_of("164").message, "'164' has no unit");
  EXPECT_EQ(diagnostic_of("fast").message, "'fast' is not a number and a unit");
  EXPECT_EQ(diagnostic_of("").message, "'' is not a number and a unit");
  EXPECT_EQ(diagnostic_of("inf s").message, "'inf s' is not a number and a unit");
  EXPECT_EQ(diagnostic_of("1e999 s").message, "'1e999 s' is not a number and a unit");
  EXPECT_EQ(diagnostic_of("-3 ns").message, "'-3 ns' is negative");
  EXPECT_EQ(diagnostic_of("1.5 B").message, "'1.5 B' is not a whole number of bytes");
  EXPECT_EQ(diagnostic_of("4 b").message, "'4 b' is not a whole number of bytes");
  EXPECT_EQ(diagnostic_of("0.5 cycles").message, "'0.5 cycles' is not a whole number of cycles");
}

RC_GTEST_PROP(Dimensional, NanosecondsAreTheNearestDouble, ()) {
  auto value = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000);
  RC_ASSERT(parse(fmt::format("{} ns", value)).si == std::stod(fmt::format("{}e-9", value)));
}

RC_GTEST_PROP(Dimensional, AnyTextIsReadOrRefused, (const std::string& text)) {
  try {
    parse_dimensional(text, whole_line(text));
  } catch (const InputError& error) {
    RC_ASSERT(error.diagnostics().size() == 1U);
  }
}

}  // namespace
}  // namespace podsim::base
