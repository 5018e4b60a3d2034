// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/drafting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/workloads/serving/server_plans.h"
#include "workloads/serving/server_run.h"
#include "workloads/serving/serving_summary.h"

namespace podsim {
namespace serving = workloads::serving;

namespace {
using test::milliseconds;

/// Leviathan et al. 2023, equation 1.
double expected_tokens(double accept, std::int64_t drafted) {
  return (1 - std::pow(accept, double(drafted + 1))) / (1 - accept);
}

/// i + 1 tokens with P^i (1 - P), K + 1 with P^K: shares of 100,000 turns within four standard deviations.
TEST(Drafting, AcceptsByTheGeometricLaw) {
  constexpr int turns = 100'000;
  for (const double accept : {0.0, 0.5, 0.8, 1.0}) {
    const serving::Drafting drafting{4, accept, 3};
    std::vector<int> counts(6);
    for (int turn = 0; turn < turns; ++turn)
      ++counts[std::size_t(drafting.tokens_after(turn / 100, 10 * (turn % 100)))];
    EXPECT_EQ(counts[0], 0);
    for (int tokens = 1; tokens <= 5; ++tokens) {
      const double share = std::pow(accept, tokens - 1) * (tokens < 5 ? 1 - accept : 1);
      EXPECT_NEAR(double(counts[std::size_t(tokens)]) / turns, share, 4 * std::sqrt(share * (1 - share) / turns))
          << tokens << " tokens at " << accept;
    }
  }
}

/// Twenty sequences with answers of 20,001 tokens: the mean of some 100,000 turns. Its standard deviation is below
/// that of one turn, at most (K + 1) / 2, over the square root of their number.
TEST(Drafting, MakesTheTokensOfTheClosedForm) {
  for (const std::int64_t drafted : {1, 4, 8}) {
    for (const double accept : {0.3, 0.7, 0.9}) {
      serving::ServerPlan plan = test::one_replica();
      plan.max_batch = 20;
      plan.cache_pages = 100'000;
      plan.drafting = {drafted, accept, 1};
      const std::vector<serving::Request> requests(20, {.arrival = milliseconds(0), .input = 10, .output = 20'001});
      const auto outcome = serving::serve(plan, requests, [](const serving::StepShape&) { return 0.01; });
      const auto sum = serving::summary_of(plan, requests, outcome, {}, serving::Nanoseconds(0));
      const double bound = 4 * double(drafted + 1) / 2 / std::sqrt(double(outcome.counts.turns));
      EXPECT_NEAR(sum.tokens_per_turn, expected_tokens(accept, drafted), bound) << drafted << " at " << accept;
      EXPECT_TRUE(outcome.counts.balances());
    }
  }
}

/// All of three drafted tokens are accepted: behind the first token 9 more take three steps of 11 ms. The last one
/// makes a single token, since the answer has no more.
TEST(Drafting, EndsWithTheAnswer) {
  serving::ServerPlan plan = test::one_replica();
  plan.drafting = {3, 1, 1};
  const std::vector<serving::Request> requests{{.arrival = milliseconds(0), .input = 100, .output = 10}};
  const auto step = [](const serving::StepShape& shape) { return shape.prefill_tokens > 0 ? 0.02 : 0.011; };
  const auto outcome = serving::serve(plan, requests, step);
  EXPECT_EQ(outcome.served[0].finish, milliseconds(20 + 3 * 11));
  EXPECT_EQ(outcome.counts.turns, 3);
  EXPECT_EQ(outcome.counts.made, 10);
  plan.drafting.accept = 0;
  EXPECT_EQ(serving::serve(plan, requests, step).served[0].finish, milliseconds(20 + 9 * 11));
}

/// What is accepted belongs to a request and its position: a request that was preempted, or served next to others, has
/// as many turns as alone.
TEST(Drafting, DoesNotDependOnTheServer) {
  serving::ServerPlan plan = test::one_replica();
  plan.drafting = {4, 0.6, 5};
  std::vector<serving::Request> requests(5, {.arrival = milliseconds(0), .input = 60, .output = 200});
  const auto step = [](const serving::StepShape&) { return 0.01; };
  const std::int64_t together = serving::serve(plan, requests, step).counts.turns;
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].arrival = milliseconds(100'000 * std::int64_t(i));
  EXPECT_EQ(serving::serve(plan, requests, step).counts.turns, together);
}

}  // namespace
}  // namespace podsim
