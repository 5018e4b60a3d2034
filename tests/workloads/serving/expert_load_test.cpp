// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/expert_load.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace podsim {
namespace serving = workloads::serving;

namespace {

/// The share of the tokens that the most popular expert gets: p1 as the first choice, and as the second one p1 of what
/// another first choice leaves.
double share_of_first(std::int64_t experts, double skew) {
  std::vector<double> p;
  double sum = 0;
  for (std::int64_t rank = 1; rank <= experts; ++rank) sum += p.emplace_back(std::pow(double(rank), -skew));
  for (double& of : p) of /= sum;
  double share = p[0];
  for (std::size_t other = 1; other < p.size(); ++other) share += p[other] * p[0] / (1 - p[other]);
  return share;
}

/// The most popular expert has the most of many tokens, by the closed form: within 3 %, where experts differ by more.
TEST(ExpertLoad, IsThatOfTheMostPopularExpert) {
  for (const std::int64_t experts : {4, 16, 128}) {
    for (const double skew : {0.5, 1.0, 2.0}) {
      const std::int64_t tokens = 5'000;
      EXPECT_NEAR(double(serving::tokens_of_busiest({experts, skew, 1}, tokens)) / double(tokens),
                  share_of_first(experts, skew), 0.03 * share_of_first(experts, skew))
          << experts << " experts, skew " << skew;
    }
  }
}

/// Two experts get every token both, one token goes to an expert once, and no expert gets a token twice.
TEST(ExpertLoad, IsBounded) {
  for (const double skew : {0.0, 1.0, 5.0}) {
    EXPECT_EQ(serving::tokens_of_busiest({2, skew, 1}, 37), 37);
    EXPECT_EQ(serving::tokens_of_busiest({64, skew, 1}, 1), 1);
    EXPECT_LE(serving::tokens_of_busiest({64, skew, 1}, 100), 100);
    EXPECT_GE(serving::tokens_of_busiest({64, skew, 1}, 100), 200 / 64);
  }
}

/// Alike experts: 2 x 2048 choices among 2048 of them. The most that one gets, M, has a Poisson tail of mean 2 that
/// makes one expert likely: 2048 P(X >= 8) = 2.2 and 2048 P(X >= 10) = 0.1, so that the mean of M is between 8 and 10.
TEST(ExpertLoad, ScattersAmongAlikeExperts) {
  const std::int64_t most = serving::tokens_of_busiest({2048, 0, 1}, 2048);
  EXPECT_GE(most, 8);
  EXPECT_LE(most, 10);
}

TEST(ExpertLoad, GrowsWithTheSkew) {
  std::int64_t before = 0;
  for (const double skew : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0}) {
    const std::int64_t now = serving::tokens_of_busiest({256, skew, 1}, 512);
    EXPECT_GE(now, before) << skew;
    before = now;
  }
}

}  // namespace
}  // namespace podsim
