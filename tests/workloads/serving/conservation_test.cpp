// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/dice.h"
#include "tests/workloads/serving/server_plans.h"
#include "workloads/serving/load.h"
#include "workloads/serving/server_run.h"
#include "workloads/serving/serving_summary.h"

namespace podsim {
namespace serving = workloads::serving;

namespace {
using serving::Nanoseconds;

struct RandomServer {
  serving::ServerPlan plan;
  std::vector<serving::Request> requests;
};

/// A server that is short of memory, with requests in bursts and replicas that stop.
RandomServer random_server(std::uint64_t seed, std::int64_t requests) {
  base::Dice dice(seed);
  RandomServer of;
  serving::ServerPlan& plan = of.plan;
  plan.replicas = dice.between(1, 4);
  plan.decode_replicas = dice.one_in(2) ? dice.between(1, 3) : 0;
  plan.router = serving::Router(dice.between(0, 2));
  plan.max_batch = dice.between(1, 12);
  plan.chunk = dice.one_in(2) ? dice.between(8, 128) : 0;
  plan.page = 8;
  plan.block = 16;
  plan.cache_pages = dice.between(20, 90);
  if (dice.one_in(2)) plan.drafting = {dice.between(1, 6), 0.1 * double(dice.between(0, 10)), seed};
  plan.idle_watts = double(dice.between(0, 80));
  plan.cached = serving::CachedTokens(dice.between(0, 1));
  plan.transfer_latency = Nanoseconds(dice.between(0, 5'000'000));
  plan.transfer_seconds_per_token = 1e-6 * double(dice.between(0, 50));
  plan.buckets = {.most_decoding = plan.max_batch, .least_prefill = 4, .most_prefill = plan.chunk, .page = 8};

  serving::Load load;
  load.arrivals = {double(dice.between(5, 60)) * double(plan.replicas), double(dice.between(0, 4))};
  load.requests = requests;
  load.input = serving::TokenLengths({{0, 4}, {0.5, 60}, {1, 200}});
  load.output = serving::TokenLengths({{0, 1}, {0.5, 20}, {1, 120}});
  load.urgent = 0.2;
  load.reuse = dice.one_in(2) ? 0.3 : 0;
  load.page = plan.page;
  load.seed = seed;
  of.requests = serving::requests_of(load);
  for (serving::Request& request : of.requests) {
    if (!dice.one_in(2)) continue;
    const auto name = std::uint64_t(dice.between(1, 5));
    for (std::uint64_t block = 0; block < std::uint64_t(request.input / plan.block); ++block) {
      request.blocks.push_back(block < 3 ? 100 * name + block : std::uint64_t(dice.between(1'000, 1'000'000'000)));
    }
  }
  plan.outages = serving::random_outages(plan.all_replicas(), base::Duration(4), base::Duration(1),
                                         of.requests.back().arrival, seed);
  return of;
}

/// A third of the time on the MXUs, half of it on the HBM; joules do not follow the time alone.
serving::StepCost step_of(const serving::StepShape& shape) {
  serving::StepCost cost = 2e-3 + 1e-4 * double(shape.decoding) + 2e-7 * double(shape.decoding * shape.cached) +
                           1e-5 * double(shape.prefill_tokens) +
                           1e-9 * double(shape.prefill_tokens * shape.prefill_cached);
  cost.joules = 0.3 + 100 * cost.seconds;
  cost.mxu_s = cost.seconds / 3;
  cost.hbm_s = cost.seconds / 2;
  return cost;
}

/// Energy is neither lost nor made: the integral of the watts over the time is the joules of the steps and, outside
/// steps, those of idle chips. Steps end on whole nanoseconds, of more than 2 ms.
void expect_energy_conserved(const RandomServer& of, const serving::ServingOutcome& outcome) {
  const serving::ServingSummary sum = serving::summary_of(of.plan, of.requests, outcome, {}, Nanoseconds(0));
  const double end = workloads::goodput::seconds(outcome.end);
  EXPECT_NEAR(outcome.watts.mean() * end / sum.joules, 1, 1e-9);
  EXPECT_NEAR(sum.idle_joules, of.plan.idle_watts * end * double(of.plan.all_replicas()) * (1 - sum.busy), 1e-6 * end);
  EXPECT_NEAR(sum.mxu_in_steps, 1.0 / 3, 1e-6);
  EXPECT_NEAR(sum.hbm, sum.busy / 2, 1e-6);
  EXPECT_NEAR(outcome.mxu.mean(), sum.mxu, 1e-9);
  EXPECT_NEAR(outcome.hbm.mean(), sum.hbm, 1e-9);
}

/// What goes in comes out: requests, tokens of answers, tokens of caches, and the time that requests are in the system.
void expect_conserved(const RandomServer& of, const serving::ServingOutcome& outcome) {
  ASSERT_TRUE(outcome.counts.balances());
  std::int64_t answers = 0, caches = 0, may_be_reused = 0;
  Nanoseconds in_system;
  for (std::size_t i = 0; i < of.requests.size(); ++i) {
    const serving::Served& served = outcome.served[i];
    const serving::Request& request = of.requests[i];
    if (served.refused()) {
      EXPECT_GT(request.input + request.output - 1, of.plan.cache_pages * of.plan.page);
      continue;
    }
    answers += request.output;
    caches += request.input + request.output - 1;
    in_system += served.finish - request.arrival;
    EXPECT_LE(request.arrival, served.admitted);
    EXPECT_LT(served.admitted, served.first_token);
    EXPECT_LE(served.first_token, served.finish);
    EXPECT_LT(served.reused, request.input + request.output);
    const std::int64_t named = std::int64_t(request.blocks.size()) * of.plan.block;
    const std::int64_t again = served.preempted + served.requeued;
    EXPECT_LE(served.reused, again > 0 ? named : std::max(named, request.seen));
    may_be_reused += std::max(named, request.seen) + again * named;
  }
  EXPECT_EQ(outcome.counts.made, answers);
  EXPECT_LE(outcome.counts.reused, may_be_reused);
  EXPECT_EQ(outcome.counts.retired, caches);
  EXPECT_EQ(outcome.requests_in_time, in_system);
  EXPECT_EQ(outcome.gaps.count(), answers - outcome.counts.finished);
  EXPECT_LE(outcome.pages.most(), 1);
  Nanoseconds sent, received;
  for (const serving::ReplicaOutcome& replica : outcome.replicas) {
    EXPECT_LE(std::max(replica.sending, replica.receiving), outcome.end);
    sent += replica.sending;
    received += replica.receiving;
  }
  EXPECT_EQ(sent, received);
}

std::string bytes_of(const serving::ServingOutcome& outcome) {
  std::string text;
  for (const serving::Served& of : outcome.served) {
    text += std::to_string(of.admitted.value()) + ' ' + std::to_string(of.first_token.value()) + ' ' +
            std::to_string(of.finish.value()) + ' ' + std::to_string(of.replica) + '\n';
  }
  return text;
}

TEST(ServerConservation, NothingIsLostOrMade) {
  std::int64_t preemptions = 0, stops = 0, transfers = 0, refused = 0, drafted = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const RandomServer of = random_server(seed, 600);
    const auto outcome = serving::serve(of.plan, of.requests, step_of);
    expect_conserved(of, outcome);
    expect_energy_conserved(of, outcome);
    preemptions += outcome.counts.preemptions;
    stops += outcome.counts.requeued;
    transfers += outcome.counts.transfers;
    drafted += outcome.counts.decoded - outcome.counts.turns;
    refused += outcome.counts.refused;
  }
  EXPECT_GT(preemptions, 1000);
  EXPECT_GT(stops, 500);
  EXPECT_GT(transfers, 1000);
  EXPECT_GT(refused, 100);
  EXPECT_GT(drafted, 10'000);
}

TEST(ServerConservation, IsTheSameForTheSameSeed) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const RandomServer first = random_server(seed, 400), again = random_server(seed, 400);
    EXPECT_EQ(bytes_of(serving::serve(first.plan, first.requests, step_of)),
              bytes_of(serving::serve(again.plan, again.requests, step_of)));
  }
}

/// The same over ten million events: steps, arrivals, preemptions, stops.
TEST(ServerConservation, HoldsOverTenMillionEvents) {
  std::int64_t events = 0;
  for (std::uint64_t seed = 100; events < 10'000'000; ++seed) {
    SCOPED_TRACE(seed);
    const RandomServer of = random_server(seed, 40'000);
    const auto outcome = serving::serve(of.plan, of.requests, step_of);
    expect_conserved(of, outcome);
    expect_energy_conserved(of, outcome);
    events += outcome.counts.steps + outcome.counts.arrived + outcome.counts.preemptions + outcome.counts.requeued +
              outcome.counts.transfers;
  }
}

}  // namespace
}  // namespace podsim
