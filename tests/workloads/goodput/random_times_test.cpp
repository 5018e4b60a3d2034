// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/random_times.h"

#include <gtest/gtest.h>

#include <cmath>

namespace podsim::workloads::goodput {
namespace {

constexpr int drawn_times = 200'000;

/// Times of shape k have the mean they are given and the variance scale^2 (G(1 + 2/k) - G(1 + 1/k)^2).
TEST(RandomTimes, HaveTheMeanOfWeibullsLaw) {
  for (const double shape : {0.5, 0.8, 1.0, 1.5, 3.0}) {
    RandomTimes random(7);
    double sum = 0;
    for (int i = 0; i < drawn_times; ++i) sum += random.weibull(10, shape);
    const double first = std::tgamma(1 + 1 / shape), second = std::tgamma(1 + 2 / shape);
    const double deviation = 10 * std::sqrt(second / (first * first) - 1);
    EXPECT_NEAR(sum / drawn_times, 10, 4 * deviation / std::sqrt(drawn_times)) << shape;
  }
}

/// The mean time until the next failure of a part looked at by chance is E[T^2] / (2 E[T]) (the waiting-time paradox).
TEST(RandomTimes, ThatRemainHaveTheMeanOfTheWaitingTimeParadox) {
  for (const double shape : {0.5, 0.8, 1.0, 1.5, 3.0}) {
    RandomTimes random(9);
    double sum = 0, squares = 0;
    for (int i = 0; i < drawn_times; ++i) {
      const double time = random.residual(10, shape);
      sum += time;
      squares += time * time;
    }
    const double first = std::tgamma(1 + 1 / shape), second = std::tgamma(1 + 2 / shape);
    const double mean = sum / drawn_times, deviation = std::sqrt(squares / drawn_times - mean * mean);
    EXPECT_NEAR(mean, 10 * second / (2 * first * first), 4 * deviation / std::sqrt(drawn_times)) << shape;
  }
}

}  // namespace
}  // namespace podsim::workloads::goodput
