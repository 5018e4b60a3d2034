// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/workloads/serving/server_plans.h"
#include "workloads/goodput/random_times.h"
#include "workloads/serving/load.h"
#include "workloads/serving/server_run.h"

namespace podsim {
namespace serving = workloads::serving;

namespace {
using serving::Nanoseconds;

std::vector<serving::Request> poisson(double rate, std::int64_t count, std::uint64_t seed) {
  serving::Load load;
  load.arrivals = {rate, 1};
  load.requests = count;
  load.seed = seed;
  return serving::requests_of(load);
}

std::vector<double> waits(const std::vector<serving::Request>& requests, const serving::ServingOutcome& outcome) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    seconds.push_back(workloads::goodput::seconds(outcome.served[i].admitted - requests[i].arrival));
  }
  return seconds;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / double(values.size());
}

/// Standard deviation of the mean, by the means of 50 stretches of time, since waits that follow each other correlate.
double sigma_of_mean(const std::vector<double>& values) {
  const std::size_t batches = 50, size = values.size() / batches;
  const double mean = mean_of(values);
  double sum = 0;
  for (std::size_t b = 0; b < batches; ++b) {
    double part = 0;
    for (std::size_t i = b * size; i < (b + 1) * size; ++i) part += values[i];
    sum += std::pow(part / double(size) - mean, 2);
  }
  return std::sqrt(sum / double(batches - 1) / double(batches));
}

/// M/M/1 waits for rho / (mu - lambda).
TEST(ServedQueue, WithExponentialServiceWaitsAsMM1) {
  for (const double load : {0.3, 0.6, 0.8}) {
    const double service = 0.01, rate = load / service;
    const auto requests = poisson(rate, 400'000, 3);
    workloads::goodput::RandomTimes random(17);
    const auto outcome = serving::serve_with_drawn_steps(
        test::queue_of_samples(1), requests, [&](const serving::StepShape&) { return random.exponential(service); });
    const std::vector<double> waited = waits(requests, outcome);
    const double expected = load / (1 / service - rate);
    EXPECT_NEAR(mean_of(waited), expected, 3 * sigma_of_mean(waited)) << "load " << load;
    EXPECT_LT(sigma_of_mean(waited), 0.03 * expected) << "load " << load;
  }
}

/// The probability that a Poisson variable of this mean is at least `least`.
double poisson_tail(double mean, int least) {
  double sum = 0;
  for (int i = least;; ++i) {
    const double term = std::exp(i * std::log(mean) - mean - std::lgamma(i + 1.0));
    sum += term;
    if (i > mean && term < 1e-18) return sum;
  }
}

/// The mean wait of M/D/c by Crommelin (1934), with alpha the load of all servers in servers:
///   W = D sum over i >= 1 of P(Poisson(i alpha) >= i c) - (c / alpha) P(Poisson(i alpha) >= i c + 1)
double crommelin_wait(int servers, double load, double service) {
  const double alpha = load * servers;
  double sum = 0;
  for (int i = 1; i < 2000; ++i) {
    const int served = i * servers;
    sum += poisson_tail(i * alpha, served) - double(servers) / alpha * poisson_tail(i * alpha, served + 1);
  }
  return sum * service;
}

TEST(ServedQueue, CrommelinOfOneServerIsPollaczekKhinchine) {
  for (const double load : {0.3, 0.6, 0.8}) EXPECT_NEAR(crommelin_wait(1, load, 1), load / (2 * (1 - load)), 1e-6);
}

TEST(ServedQueue, WithConstantServiceWaitsAsMDc) {
  for (const int servers : {1, 2, 4, 8}) {
    for (const double load : {0.5, 0.7, 0.8}) {
      const double service = 0.02;
      const auto requests = poisson(load * servers / service, 300'000, 5);
      const auto outcome =
          serving::serve(test::queue_of_samples(servers), requests, [&](const serving::StepShape&) { return service; });
      const std::vector<double> waited = waits(requests, outcome);
      EXPECT_NEAR(mean_of(waited), crommelin_wait(servers, load, service), 3 * sigma_of_mean(waited))
          << servers << " servers, load " << load;
    }
  }
}

/// Caches of one size wait for the port of the replica that reads prompts as customers of M/D/1 for their server, since
/// reading a prompt takes next to nothing: rho D / (2 (1 - rho)). A step takes 1 us, which the bounds have on top.
TEST(ServedQueue, CachesWaitForAPortAsMD1) {
  for (const double load : {0.5, 0.7, 0.8}) {
    const double sending = 0.02;
    auto requests = poisson(load / sending, 200'000, 11);
    for (serving::Request& request : requests) {
      request.input = 10;
      request.output = 2;
    }
    serving::ServerPlan plan = test::one_replica();
    plan.decode_replicas = 1;
    plan.max_batch = plan.cache_pages = 1'000'000;
    plan.transfer_latency = test::milliseconds(3);
    plan.transfer_seconds_per_token = sending / 10;
    const auto outcome = serving::serve(plan, requests, [](const serving::StepShape&) { return 1e-6; });
    std::vector<double> waited;
    for (const serving::Served& of : outcome.served) {
      waited.push_back(workloads::goodput::seconds(of.finish - of.first_token) - sending - 0.003);
    }
    const double expected = load * sending / (2 * (1 - load));
    EXPECT_NEAR(mean_of(waited), expected, 3 * sigma_of_mean(waited) + 2e-6) << "load " << load;
    EXPECT_NEAR(workloads::goodput::seconds(outcome.replicas[0].sending) / workloads::goodput::seconds(outcome.end),
                load, 0.01);
    EXPECT_EQ(outcome.replicas[0].sending, outcome.replicas[1].receiving);
  }
}

/// Little's law holds for every run, to the nanosecond: the integral of the number of requests in the system over the
/// time is the sum of their times in it.
TEST(ServedQueue, HoldsLittlesLawExactly) {
  for (const std::int64_t replicas : {1, 3}) {
    const auto requests = poisson(130, 20'000, 7);
    const auto outcome =
        serving::serve(test::queue_of_samples(replicas), requests, [](const serving::StepShape&) { return 0.009; });
    Nanoseconds in_system;
    for (std::size_t i = 0; i < requests.size(); ++i) in_system += outcome.served[i].finish - requests[i].arrival;
    EXPECT_EQ(outcome.requests_in_time, in_system);
  }
}

/// The same gaps closer together make no request of a single queue wait for less long.
TEST(ServedQueue, WaitsLongerAtAHigherRate) {
  std::vector<double> before;
  for (const double rate : {20.0, 40.0, 60.0, 80.0, 95.0, 120.0}) {
    const auto requests = poisson(rate, 20'000, 9);
    const auto outcome =
        serving::serve(test::queue_of_samples(1), requests, [](const serving::StepShape&) { return 0.01; });
    const std::vector<double> waited = waits(requests, outcome);
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_GE(waited[i], before[i] - 2e-9) << "rate " << rate;
    before = waited;
  }
}

}  // namespace
}  // namespace podsim
