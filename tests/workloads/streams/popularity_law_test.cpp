// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/popularity_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/diagnostic.h"
#include "workloads/streams/interaction_seed.h"

namespace podsim::workloads::streams {
namespace {

TEST(PopularityLaw, CountsAddUpToTheTotalBeginAtTheMostAndFallWithTheExponent) {
  for (const double exponent : {0.7, 1.0, 1.5, 2.5}) {
    const PopularityLaw law = popularity_law(20000, exponent, 5000, 1e6);
    double sum = 0;
    for (int rank = 1; rank <= 20000; ++rank) sum += law.count(rank);
    EXPECT_NEAR(sum, 1e6, 1) << exponent;
    EXPECT_DOUBLE_EQ(law.count(1), 5000);
    // Far beyond the flat ranks a rank of ten times the number has 10^exponent times fewer look-ups.
    const double far = 1e3 * law.flat;
    EXPECT_NEAR(law.count(far) / law.count(10 * far) / std::pow(10, exponent), 1, 0.01 * exponent) << exponent;
  }
}

TEST(PopularityLaw, OfMovieLensUsersHasTheLeastCountThatIsPublished) {
  // The data set has users with at least 20 ratings (Harper and Konstan 2015); the law is made without that number.
  const SeedOptions options;
  const PopularityLaw law =
      popularity_law(options.users, options.user_exponent, double(options.most_of_user), double(options.interactions));
  EXPECT_NEAR(law.count(double(options.users)), 20, 1);
}

TEST(PopularityLaw, WholeCountsAddUpAndAreAtLeastOneAndWithinOneOfTheLaw) {
  const PopularityLaw law = popularity_law(1000, 1.2, 300, 20000);
  const std::vector<std::int64_t> counts = whole_counts(law, 20000);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t(0)), 20000);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_GE(counts[i], 1);
    EXPECT_NEAR(double(counts[i]), law.count(double(i) + 1), 1.01) << i;
  }
}

TEST(PopularityLaw, RefusesATotalThatNoLawHas) {
  EXPECT_THROW(popularity_law(100, 1, 10, 1001), base::InputError);  // above rows x most
  EXPECT_THROW(popularity_law(100, 1, 10, 9), base::InputError);     // below the most popular row's
}

}  // namespace
}  // namespace podsim::workloads::streams
