// SPDX-License-Identifier: Apache-2.0
#include "workloads/lengths/length_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/diagnostic.h"

namespace podsim::workloads::lengths {
namespace {

double sum_of(const LengthLaw& law) { return std::accumulate(law.shares.begin(), law.shares.end(), 0.0); }

double variance_of(const LengthLaw& law) {
  double variance = 0;
  for (std::size_t i = 0; i < law.shares.size(); ++i) {
    variance += law.shares[i] * std::pow(double(i + 1) - law.mean(), 2);
  }
  return variance;
}

/// The density of a log-normal law, from the definition of its mean and variance.
double density(double x, double mean, double sd) {
  const double variance = std::log(1 + sd * sd / (mean * mean)), middle = std::log(mean) - variance / 2;
  const double z = std::log(x) - middle;
  return std::exp(-z * z / (2 * variance)) / (x * std::sqrt(2 * std::numbers::pi * variance));
}

/// By small steps.
double integral(double from, double to, double mean, double sd) {
  constexpr int steps = 20000;
  const double width = (to - from) / steps;
  double sum = 0;
  for (int i = 0; i < steps; ++i) sum += density(from + (i + 0.5) * width, mean, sd) * width;
  return sum;
}

TEST(LengthLaw, OfALogNormalHasItsMeanAndDeviationIfNothingIsLeftOut) {
  const LengthLaw law = log_normal_lengths(60, 25, 5000);
  EXPECT_NEAR(sum_of(law), 1, 1e-12);
  EXPECT_LT(law.left_out, 1e-9);
  EXPECT_NEAR(law.mean(), 60, 0.01);
  EXPECT_NEAR(variance_of(law), 25 * 25 + 1.0 / 12, 0.1);  // and that of rounding to whole numbers
}

TEST(LengthLaw, OfALogNormalSharesAreThoseOfItsDensityAndLongSamplesAreLeftOut) {
  const LengthLaw law = log_normal_lengths(26, 13, 48);
  const double kept = integral(0.5, 48.5, 26, 13);
  EXPECT_NEAR(law.left_out, 1 - kept, 1e-5);
  EXPECT_EQ(law.most(), 48);
  for (const int length : {2, 10, 26, 47}) {
    EXPECT_NEAR(law.shares[std::size_t(length) - 1], integral(length - 0.5, length + 0.5, 26, 13) / kept, 1e-6)
        << length;
  }
}

TEST(LengthLaw, WithoutADeviationHasOneLength) {
  const LengthLaw law = log_normal_lengths(26, 0, 48);
  EXPECT_EQ(law.shares[25], 1);
  EXPECT_EQ(law.mean(), 26);
}

TEST(LengthLaw, OfAFileHasItsCounts) {
  const LengthLaw law = counted_lengths("c.csv", "length,count\n4,30\n1,10\n9,60\n4,20\n", 5);
  ASSERT_EQ(law.most(), 5);
  EXPECT_DOUBLE_EQ(law.shares[0], 10.0 / 60);
  EXPECT_DOUBLE_EQ(law.shares[3], 50.0 / 60);
  EXPECT_DOUBLE_EQ(law.mean(), (10 + 200) / 60.0);
  EXPECT_DOUBLE_EQ(law.left_out, 0.5);
}

TEST(LengthLaw, RefusesAFileWithoutShortSamplesOrWithAFraction) {
  EXPECT_THROW(counted_lengths("c.csv", "length,count\n9,60\n", 5), base::InputError);
  try {
    counted_lengths("c.csv", "length,count\n3,1\n2.5,60\n", 5);
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().front().location.line, 3);
  }
  EXPECT_THROW(log_normal_lengths(300, 1, 20), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads::lengths
