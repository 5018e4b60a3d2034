// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <type_traits>

namespace podsim::base {
namespace {

const Clock core_clock{Frequency(940e6)};

TEST(Units, ProductsAndQuotientsHaveTheRightDimension) {
  static_assert(std::is_same_v<decltype(DataSize(1) / Duration(1)), Bandwidth>);
  static_assert(std::is_same_v<decltype(Bandwidth(1) * Duration(1)), DataSize>);
  static_assert(std::is_same_v<decltype(Duration(1) * Frequency(1)), double>);
  static_assert(std::is_same_v<decltype(Bytes(1) / Bytes(1)), std::int64_t>);
  EXPECT_DOUBLE_EQ((Bytes(51'100'000) / Bandwidth(70e9)).si(), 51.1e6 / 70e9);
  EXPECT_DOUBLE_EQ((Cycles(940) / Frequency(940e6)).si(), 1e-6);
  EXPECT_DOUBLE_EQ((Bytes(900) / Duration(3)).si(), 300);
}

TEST(Units, CountsAreExact) {
  EXPECT_EQ(Bytes(7) / Bytes(2), 3);
  EXPECT_EQ(Bytes(7) % Bytes(2), Bytes(1));
  EXPECT_EQ(3 * Cycles(5) - Cycles(1), Cycles(14));
  EXPECT_EQ(divide_round_up(129, 128), 2);
  EXPECT_EQ(round_up(129, 128), 256);
  EXPECT_EQ(round_up(128, 128), 128);
}

TEST(Units, TimeRoundsToTheNearestPicosecond) {
  EXPECT_EQ(to_time(Duration(300e-9)), Time(300'000));
  EXPECT_EQ(to_time(Duration(1.4e-12)), Time(1));
  EXPECT_EQ(to_time(Duration(1.6e-12)), Time(2));
  EXPECT_DOUBLE_EQ(to_duration(Time(131'100'000'000)).si(), 0.1311);
}

TEST(Clock, AThousandCyclesAt940MHzAreNotAThousandRoundedPeriods) {
  EXPECT_EQ(core_clock.time_of(Cycles(1)), Time(1064));          // 1063.83 ps
  EXPECT_EQ(core_clock.time_of(Cycles(1000)), Time(1'063'830));  // 1063829.79 ps
  EXPECT_EQ(core_clock.time_of(Cycles(940'000'000)), Time(1'000'000'000'000));
}

RC_GTEST_PROP(Clock, EdgesAt940MHzAreWithinHalfAPicosecond, ()) {
  // 940 MHz n edges take n / 940e6 s = n 50000 / 47 ps exactly, so the error is |47 t - 50000 n| / 47.
  auto edge = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
  std::int64_t time = core_clock.time_of(Cycles(edge)).value();
  RC_ASSERT(2 * std::abs(47 * time - 50'000 * edge) <= 47);
}

RC_GTEST_PROP(Clock, EdgeAtOrAfterInvertsTimeOf, ()) {
  auto kilohertz = *rc::gen::inRange<std::int64_t>(1, 3'000'000);
  auto edge = Cycles(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000));
  Clock clock(Frequency(double(kilohertz) * 1e3));
  RC_ASSERT(clock.edge_at_or_after(clock.time_of(edge)) == edge);
  RC_ASSERT(clock.edge_at_or_after(clock.time_of(edge) + Time(1)) == edge + Cycles(1));
  RC_ASSERT(clock.time_of(edge) < clock.time_of(edge + Cycles(1)));
}

RC_GTEST_PROP(Clock, EdgeAtOrAfterIsTheFirst, ()) {
  auto time = Time(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000'000));
  Cycles edge = core_clock.edge_at_or_after(time);
  RC_ASSERT(core_clock.time_of(edge) >= time);
  RC_ASSERT(core_clock.time_of(edge - Cycles(1)) < time);
}

TEST(Clock, StartsAtTimeZero) {
  EXPECT_EQ(core_clock.time_of(Cycles(0)), Time(0));
  EXPECT_EQ(core_clock.edge_at_or_after(Time(0)), Cycles(0));
  EXPECT_EQ(core_clock.edge_at_or_after(Time(1)), Cycles(1));
}

TEST(Clock, CoversADurationWithWholeCycles) {
  EXPECT_EQ(core_clock.cycles_covering(Duration(220e-9)), Cycles(207));  // 206.8
  EXPECT_EQ(core_clock.cycles_covering(Duration(0)), Cycles(0));
  EXPECT_EQ(core_clock.cycles_covering(Duration(1e-15)), Cycles(1));
}

RC_GTEST_PROP(Clock, CyclesWrittenAsADurationAreCoveredByAsMany, ()) {
  auto cycles = Cycles(*rc::gen::inRange<std::int64_t>(0, 1'000'000));
  RC_ASSERT(core_clock.cycles_covering(cycles / core_clock.frequency()) == cycles);
}

TEST(UnitText, HasFourDigitsAndAFittingPrefix) {
  EXPECT_EQ(to_string(Duration(0.1311)), "131.1 ms");
  EXPECT_EQ(to_string(Duration(0.99999e-3)), "1 ms");
  EXPECT_EQ(to_string(Duration(0.9994e-3)), "999.4 us");
  EXPECT_EQ(to_string(Duration(12345)), "12345 s");
  EXPECT_EQ(to_string(Duration(0)), "0 ps");
  EXPECT_EQ(to_string(Duration(-2.5e-9)), "-2.5 ns");
  EXPECT_EQ(to_string(Frequency(940e6)), "940 MHz");
  EXPECT_EQ(to_string(Bandwidth(412.5e9)), "412.5 GB/s");
  EXPECT_EQ(to_string(Bandwidth(1.2345678e12)), "1.235 TB/s");
  EXPECT_EQ(to_string(Time(300'000)), "300 ns");
  EXPECT_EQ(to_string(Cycles(1)), "1 cycle");
  EXPECT_EQ(to_string(Cycles(135)), "135 cycles");
}

TEST(UnitText, BytesAreBinaryWhereThatIsExact) {
  EXPECT_EQ(to_string(Bytes(16 << 20)), "16 MiB");
  EXPECT_EQ(to_string(Bytes(51'100'000)), "51.1 MB");
  EXPECT_EQ(to_string(Bytes(1536)), "1.536 kB");
  EXPECT_EQ(to_string(Bytes(3 << 10)), "3 KiB");
  EXPECT_EQ(to_string(Bytes(1000)), "1 kB");
  EXPECT_EQ(to_string(Bytes(0)), "0 B");
  EXPECT_EQ(to_string(Bytes(std::int64_t(16) << 30)), "16 GiB");
}

}  // namespace
}  // namespace podsim::base
