// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/diagnostic.h"
#include "tests/workloads/serving/server_plans.h"
#include "workloads/serving/server_run.h"

namespace podsim {
namespace serving = workloads::serving;

namespace {
using serving::Nanoseconds;

/// Gaps have the mean 1 / rate and the coefficient of variation of the law.
TEST(ServedLoad, HasTheGapsOfItsLaw) {
  for (const double cv : {0.0, 0.5, 1.0, 1.09, 4.0}) {
    serving::Load load;
    load.arrivals = {50, cv};
    load.requests = 200'000;
    const auto requests = serving::requests_of(load);
    double sum = 0, squares = 0;
    Nanoseconds before;
    for (const serving::Request& request : requests) {
      const double gap = workloads::goodput::seconds(request.arrival - before);
      before = request.arrival;
      sum += gap;
      squares += gap * gap;
    }
    const auto n = double(requests.size());
    const double mean = sum / n, found = std::sqrt(std::max(0.0, squares / n - mean * mean)) / mean;
    EXPECT_NEAR(mean, 0.02, 4 * 0.02 * std::max(cv, 1e-6) / std::sqrt(n));
    // The relative error of a standard deviation is sqrt((kurtosis - 1) / 4 n), the kurtosis of gamma is 3 + 6 cv^2.
    EXPECT_NEAR(found, cv, 4 * cv * std::sqrt((2 + 6 * cv * cv) / 4 / n) + 1e-6);
  }
}

TEST(ServedLoad, HasTheSameRequestsCloserTogetherAtAHigherRate) {
  serving::Load load;
  load.requests = 1000;
  load.input = serving::published_traces()[0].input;
  load.output = serving::published_traces()[0].output;
  load.arrivals.rate = 10;
  const auto slow = serving::requests_of(load);
  load.arrivals.rate = 40;
  const auto fast = serving::requests_of(load);
  for (std::size_t i = 0; i < slow.size(); ++i) {
    EXPECT_NEAR(double(slow[i].arrival.value()), 4 * double(fast[i].arrival.value()), 4);
    EXPECT_EQ(slow[i].input, fast[i].input);
    EXPECT_EQ(slow[i].output, fast[i].output);
  }
}

/// Draws have the published percentiles, within what 4 sigma of an order statistic allow; and the mean of the law is
/// within 20 % of the published mean, which it was not made from.
TEST(ServedLoad, HasPublishedPercentiles) {
  workloads::goodput::RandomTimes random(1);
  const auto check = [&](const serving::TokenLengths& law, double p10, double p50, double p90, double mean) {
    std::vector<std::int64_t> drawn;
    for (int i = 0; i < 40'000; ++i) drawn.push_back(law.draw(random));
    std::ranges::sort(drawn);
    const auto quantile = [&](double share) { return double(drawn[std::size_t(share * double(drawn.size()))]); };
    for (const auto& [share, tokens] : {std::pair(0.1, p10), {0.5, p50}, {0.9, p90}}) {
      const double sigma = std::sqrt(share * (1 - share) / double(drawn.size()));
      EXPECT_LE(quantile(share - 4 * sigma), tokens + 1);
      EXPECT_GE(quantile(share + 4 * sigma), tokens - 1);
    }
    EXPECT_NEAR(law.mean() / mean, 1, 0.2);
  };
  const auto traces = serving::published_traces();
  check(traces[0].input, 147, 1469, 5188, 2048);
  check(traces[0].output, 7, 13, 55, 28);
  check(traces[1].input, 207, 1020, 2734, 1155);
  check(traces[1].output, 54, 129, 424, 211);
  check(traces[2].input, 964, 6909, 27'367, 12'035);
  check(traces[2].output, 24, 350, 597, 343);
  check(traces[3].input, 1242, 2730, 3702, 2588);
  check(traces[3].output, 78, 167, 372, 291);
}

/// The mean of the law by its integral is that of its quantiles, added up.
TEST(TokenLengths, HasTheMeanOfItsQuantiles) {
  for (const serving::PublishedTrace& trace : serving::published_traces()) {
    double sum = 0;
    const int steps = 200'000;
    for (int i = 0; i < steps; ++i) sum += double(trace.input.at((i + 0.5) / steps));
    EXPECT_NEAR(sum / steps / trace.input.mean(), 1, 2e-4);
  }
  EXPECT_EQ(serving::TokenLengths::constant(512).at(0.3), 512);
  EXPECT_EQ(serving::TokenLengths::constant(512).mean(), 512);
}

TEST(ServedLoad, ReusesTheShareOfPromptsInWholePages) {
  serving::Load load;
  load.requests = 20'000;
  load.input = serving::published_traces()[2].input;
  load.output = serving::TokenLengths::constant(1);
  load.reuse = 0.366;
  load.page = 16;
  double seen = 0, all = 0;
  for (const serving::Request& request : serving::requests_of(load)) {
    EXPECT_EQ(request.seen % 16, 0);
    EXPECT_LT(request.seen, request.input);
    seen += double(request.seen);
    all += double(request.input);
  }
  EXPECT_NEAR(seen / all, 0.366, 1e-3);
}

/// 1, 2, 3, 4, 6, 8, 12, ... and pages of the cache.
TEST(StepBuckets, RoundUp) {
  const std::vector<std::int64_t> sizes{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  for (std::int64_t count = 1; count <= 64; ++count) {
    EXPECT_EQ(serving::bucket_of(count), *std::ranges::lower_bound(sizes, count)) << count;
  }
  EXPECT_EQ(serving::bucket_of(0), 0);
  EXPECT_EQ(serving::bucket_of(1, 16), 16);
  const serving::Buckets buckets{.most_decoding = 20, .least_prefill = 16, .most_prefill = 200, .page = 128};
  const serving::StepShape up = buckets.up({17, 1, 193, 129});
  EXPECT_EQ(up, (serving::StepShape{20, 128, 200, 256}));
  EXPECT_EQ(buckets.up({0, 0, 51, 0}).prefill_tokens, 100);
  EXPECT_EQ(buckets.up({0, 0, 25, 0}).prefill_tokens, 25);
  EXPECT_EQ(buckets.up({0, 0, 3, 0}).prefill_tokens, 25);
  EXPECT_EQ(buckets.up({1, 127, 0, 0}).cached, 128);
  EXPECT_EQ(buckets.up({1, 128, 0, 0}).cached, 256);
  EXPECT_EQ(buckets.up({5, 1, 0, 0}).decoding, 6);
  EXPECT_EQ(buckets.up({5, 1, 25, 0}).decoding, 8);
  EXPECT_EQ(buckets.up({}), serving::StepShape{});
}

/// A replica that works 3 s and is away 1 s on average is away for a quarter of the time.
TEST(RandomOutages, HaveTheirAvailability) {
  const auto outages = serving::random_outages(20, base::Duration(3), base::Duration(1),
                                               workloads::goodput::nanoseconds(base::Duration(5000)), 3);
  Nanoseconds away;
  for (const serving::Outage& outage : outages) away += outage.end - outage.begin;
  EXPECT_NEAR(workloads::goodput::seconds(away) / (20 * 5000), 0.25, 0.005);
  const std::vector<serving::Outage> overlapping{
      {1, Nanoseconds(5), Nanoseconds(9)}, {0, Nanoseconds(7), Nanoseconds(8)}, {1, Nanoseconds(2), Nanoseconds(6)}};
  const std::vector<serving::Outage> expected{{1, Nanoseconds(2), Nanoseconds(9)}, {0, Nanoseconds(7), Nanoseconds(8)}};
  EXPECT_EQ(serving::joined(overlapping), expected);
}

/// 20,000 requests of a million seconds each, the gaps' mean, end after 634 years: 64 bits of nanoseconds hold 292.
TEST(ServedLoad, RefusesTimesThatNanosecondsDoNotHold) {
  serving::Load load;
  load.arrivals = {1e-6, 1};
  load.requests = 20'000;
  EXPECT_THROW(serving::requests_of(load), base::InputError);
  load.requests = 100;
  EXPECT_EQ(serving::requests_of(load).size(), 100u);
}

/// A replica that stops every microsecond for a thousand days.
TEST(RandomOutages, AreRefusedWithoutEnd) {
  EXPECT_THROW(serving::random_outages(1, base::Duration(1e-6), base::Duration(0),
                                       Nanoseconds(std::int64_t(86'400'000'000'000) * 1000), 1),
               base::InputError);
}

/// Percentiles of the time to the first token and of the whole answer do not fall when the rate rises.
TEST(ServedLoad, MakesLatenciesRiseWithTheRate) {
  serving::ServerPlan plan = test::one_replica();
  plan.replicas = 2;
  plan.max_batch = 16;
  plan.chunk = 256;
  plan.page = plan.buckets.page = 128;
  plan.block = 128;
  plan.cache_pages = 400;
  std::vector<double> before(6, 0);
  for (const double rate : {1.0, 2.0, 4.0, 6.0, 8.0, 10.0}) {
    serving::Load load;
    load.arrivals = {rate, 1};
    load.requests = 4000;
    load.input = serving::published_traces()[1].input;
    load.output = serving::published_traces()[1].output;
    const auto requests = serving::requests_of(load);
    const auto outcome = serving::serve(plan, requests, [](const serving::StepShape& shape) {
      return 5e-3 + 2e-8 * double(shape.decoding * shape.cached) + 1e-5 * double(shape.prefill_tokens);
    });
    std::vector<double> first, whole, found;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      first.push_back(workloads::goodput::seconds(outcome.served[i].first_token - requests[i].arrival));
      whole.push_back(workloads::goodput::seconds(outcome.served[i].finish - requests[i].arrival));
    }
    for (std::vector<double>* of : {&first, &whole}) {
      std::ranges::sort(*of);
      for (const double share : {0.5, 0.9, 0.99}) found.push_back((*of)[std::size_t(share * double(of->size()))]);
    }
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_GE(found[i], before[i]) << "rate " << rate << ", " << i;
    before = found;
  }
}

}  // namespace
}  // namespace podsim
