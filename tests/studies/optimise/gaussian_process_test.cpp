// SPDX-License-Identifier: Apache-2.0
#include "studies/optimise/gaussian_process.h"

#include <gtest/gtest.h>

#include <cmath>

namespace podsim::studies::optimise {
namespace {

/// The covariance of two values of one dimension at a distance of `way` lengths.
double matern(double way) {
  const double a = std::sqrt(5.0) * way;
  return (1 + a + a * a / 3) * std::exp(-a);
}

/// By hand: of the values 1 and -1 at covariance r the mean is 0 by symmetry, and with K = [1 r; r 1], of which (1, -1)
/// is an eigenvector of 1 - r and (1, 1) one of 1 + r,
///
///   variance = (1, -1) K^-1 (1, -1)' / 2 = 1 / (1 - r)
///   mean at a point with covariances (p, q) = (p - q) / (1 - r)
///   share of the variance left = 1 - (p^2 + q^2 - 2 r p q) / (1 - r^2) + (1 - (p + q) / (1 + r))^2 (1 + r) / 2
TEST(GaussianProcess, IsTheOneOfTwoPointsByHand) {
  const SearchSpace space({{5, {0, 1, 2, 3, 4}}});
  const double length = 0.5;
  const GaussianProcess process(space, {{0}, {4}}, {1, -1}, {{length}, 0});
  const double r = matern(1 / length);
  for (std::int64_t i = 0; i < 5; ++i) {
    const double at = double(i) / 4, p = matern(at / length), q = matern((1 - at) / length);
    const double left =
        1 - (p * p + q * q - 2 * r * p * q) / (1 - r * r) + std::pow(1 - (p + q) / (1 + r), 2) * (1 + r) / 2;
    EXPECT_NEAR(process.at({i}).mean, (p - q) / (1 - r), 1e-6);
    EXPECT_NEAR(process.at({i}).deviation, std::sqrt(std::max(left, 0.0) / (1 - r)), 2e-4);  // sqrt of the nugget 1e-8
  }
  // -(n log variance + log det K) / 2, with det K = 1 - r^2
  EXPECT_NEAR(process.log_likelihood(), -(2 * std::log(1 / (1 - r)) + std::log(1 - r * r)) / 2, 1e-6);
}

/// Far from its points a process knows their mean only.
TEST(GaussianProcess, PassesThroughItsPoints) {
  const SearchSpace space({{6, {0, 1, 2, 3, 4, 5}}, {3, {}}});
  const std::vector<Candidate> candidates{{0, 0}, {2, 0}, {5, 1}, {3, 1}};
  const std::vector<double> values{3, 1, 4, 1.5};
  const GaussianProcess process(space, candidates, values, {{0.4, 1.0}, 0});
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(process.at(candidates[i]).mean, values[i], 1e-4);
  EXPECT_GT(process.at({5, 2}).deviation, process.at({1, 0}).deviation);
}

/// A function of the first dimension alone tells nothing of the second one: its length is the longest there is.
TEST(LikelyParameters, AreLongWhereADimensionDoesNotMatter) {
  const SearchSpace space({{8, {0, 1, 2, 3, 4, 5, 6, 7}}, {8, {0, 1, 2, 3, 4, 5, 6, 7}}});
  std::vector<Candidate> candidates;
  std::vector<double> values;
  for (std::int64_t i = 0; i < 20; ++i) {
    candidates.push_back({i * 5 % 8, i * 3 % 7});
    values.push_back(std::sin(double(candidates.back()[0])));
  }
  const ProcessParameters likely = likely_parameters(space, candidates, values);
  EXPECT_LT(likely.lengths[0], 1.6);
  EXPECT_GE(likely.lengths[1], 3.2);
}

}  // namespace
}  // namespace podsim::studies::optimise
