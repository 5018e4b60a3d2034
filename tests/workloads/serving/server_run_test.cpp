// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/server_run.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/diagnostic.h"
#include "tests/workloads/serving/server_plans.h"
#include "workloads/serving/serving_summary.h"

namespace podsim {
namespace serving = workloads::serving;

namespace {
using serving::Nanoseconds;
using test::milliseconds;

/// 10 ms, a ms for each sequence that decodes and 0.1 ms for each token of a prompt.
double sum_of_parts(const serving::StepShape& shape) {
  return 1e-3 * (10 + double(shape.decoding) + 0.1 * double(shape.prefill_tokens));
}

/// A prompt of 100 tokens takes a step of 20 ms, which makes the first token; each of three more takes 11 ms.
TEST(ServerRun, ReadsAPromptThenDecodes) {
  const std::vector<serving::Request> requests{{.arrival = milliseconds(5), .input = 100, .output = 4}};
  const auto outcome = serving::serve_with_drawn_steps(test::one_replica(), requests, sum_of_parts);
  EXPECT_EQ(outcome.served[0].admitted, milliseconds(5));
  EXPECT_EQ(outcome.served[0].first_token, milliseconds(25));
  EXPECT_EQ(outcome.served[0].finish, milliseconds(58));
  EXPECT_EQ(outcome.counts.steps, 4);
  EXPECT_EQ(outcome.counts.made, 4);
  EXPECT_TRUE(outcome.counts.balances());
}

/// Idle for 5 ms at 30 W, then 20 ms that take 4 J and three steps of 2 J each: 10.15 J for 4 tokens in 58 ms.
TEST(ServerRun, AddsTheEnergyOfStepsAndOfIdleChips) {
  serving::ServerPlan plan = test::one_replica();
  plan.idle_watts = 30;
  const std::vector<serving::Request> requests{{.arrival = milliseconds(5), .input = 100, .output = 4}};
  const auto outcome = serving::serve(plan, requests, [](const serving::StepShape& shape) {
    serving::StepCost cost =
        sum_of_parts({.decoding = shape.decoding, .prefill_tokens = shape.prefill_tokens > 0 ? 100 : 0});
    cost.joules = shape.prefill_tokens > 0 ? 4 : 2;
    return cost;
  });
  const auto sum = serving::summary_of(plan, requests, outcome, {}, Nanoseconds(0));
  EXPECT_NEAR(sum.joules, 10.15, 1e-9);
  EXPECT_NEAR(sum.idle_joules, 0.15, 1e-9);
  EXPECT_NEAR(sum.joules_per_token, 10.15 / 4, 1e-9);
  EXPECT_NEAR(sum.joules_per_request, 10.15, 1e-9);
  EXPECT_NEAR(outcome.watts.mean(), 10.15 / 0.058, 1e-6);
}

/// Half of a step of 8 J has run when its replica stops; what follows takes idle watts, away or not.
TEST(ServerRun, CountsTheEnergyOfALostStep) {
  serving::ServerPlan plan = test::queue_of_samples(1);
  plan.idle_watts = 10;
  plan.outages = {{0, milliseconds(50), milliseconds(150)}};
  const auto requests = test::samples_at({0});
  const auto outcome = serving::serve(plan, requests, [](const serving::StepShape&) {
    serving::StepCost cost(0.1);
    cost.joules = 8;
    return cost;
  });
  EXPECT_EQ(outcome.counts.lost_steps, 1);
  EXPECT_NEAR(serving::summary_of(plan, requests, outcome, {}, Nanoseconds(0)).joules, 4 + 0.1 * 10 + 8, 1e-9);
}

/// The second prompt, whole, delays the first sequence's second token: it is read from 20 to 40 ms. Then both decode in
/// steps of 12 ms, and the first ends at 64, the second at 64.
TEST(ServerRun, HasDecodingWaitForAWholePrompt) {
  const std::vector<serving::Request> requests{{.arrival = milliseconds(0), .input = 100, .output = 3},
                                               {.arrival = milliseconds(1), .input = 100, .output = 3}};
  const auto outcome = serving::serve_with_drawn_steps(test::one_replica(), requests, sum_of_parts);
  EXPECT_EQ(outcome.served[1].first_token, milliseconds(40));
  EXPECT_EQ(outcome.served[0].finish, milliseconds(64));
  EXPECT_EQ(outcome.served[1].finish, milliseconds(64));
}

/// In chunks of 50 tokens: 15 + 15 ms for the first prompt; the second one's chunks are in steps of 16 ms in which the
/// first sequence gets its tokens.
TEST(ServerRun, MixesChunksOfPromptsWithDecoding) {
  serving::ServerPlan plan = test::one_replica();
  plan.chunk = 50;
  const std::vector<serving::Request> requests{{.arrival = milliseconds(0), .input = 100, .output = 3},
                                               {.arrival = milliseconds(1), .input = 100, .output = 1}};
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_EQ(outcome.served[0].first_token, milliseconds(30));
  EXPECT_EQ(outcome.served[0].finish, milliseconds(62));
  EXPECT_EQ(outcome.served[1].finish, milliseconds(62));
}

/// 4 pages of 16 tokens. Both prompts have 30 tokens: 2 pages each. The first token of each is made by reading, the
/// second and third go into the second page (32 tokens), the fourth needs a third page: the later request is preempted
/// and read once more, with its tokens, when the first is done.
TEST(ServerRun, PreemptsTheLastWhenMemoryRunsOut) {
  serving::ServerPlan plan = test::one_replica();
  plan.cache_pages = 4;
  plan.chunk = 64;
  const std::vector<serving::Request> requests{{.arrival = milliseconds(0), .input = 30, .output = 10},
                                               {.arrival = milliseconds(0), .input = 30, .output = 10}};
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_EQ(outcome.served[0].preempted, 0);
  EXPECT_EQ(outcome.served[1].preempted, 1);
  // Both have made 3 tokens, the keys of 32 are in the cache.
  EXPECT_EQ(outcome.counts.dropped, 32);
  EXPECT_EQ(outcome.counts.prefilled, 30 + 30 + 33);
  EXPECT_EQ(outcome.counts.made, 20);
  EXPECT_TRUE(outcome.counts.balances());
  EXPECT_LT(outcome.served[0].finish, outcome.served[1].finish);
}

TEST(ServerRun, ServesTheUrgentFirst) {
  serving::ServerPlan plan = test::one_replica();
  plan.max_batch = 1;
  std::vector<serving::Request> requests(4, {.arrival = milliseconds(0), .input = 10, .output = 2});
  requests[2].priority = 1;
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_LT(outcome.served[2].finish, outcome.served[0].finish);
  EXPECT_LT(outcome.served[0].finish, outcome.served[1].finish);
  EXPECT_LT(outcome.served[1].finish, outcome.served[3].finish);
}

TEST(ServerRun, RefusesWhatFitsNoReplica) {
  serving::ServerPlan plan = test::one_replica();
  plan.cache_pages = 4;  // 64 tokens, of which the last is never in the cache
  const std::vector<serving::Request> requests{{.arrival = milliseconds(0), .input = 60, .output = 5},
                                               {.arrival = milliseconds(0), .input = 60, .output = 6}};
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_FALSE(outcome.served[0].refused());
  EXPECT_TRUE(outcome.served[1].refused());
  EXPECT_EQ(outcome.counts.refused, 1);
}

/// The second prompt has the first one's two blocks of 32 tokens: 36 of its 100 tokens are read, in 13.6 ms.
TEST(ServerRun, ReusesBlocksThatAreInTheCache) {
  const serving::ServerPlan plan = test::one_replica();
  const std::vector<serving::Request> requests{
      {.arrival = milliseconds(0), .input = 100, .output = 1, .blocks = {1, 2, 3}},
      {.arrival = milliseconds(50), .input = 100, .output = 1, .blocks = {1, 2, 4}}};
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_EQ(outcome.served[0].reused, 0);
  EXPECT_EQ(outcome.served[1].reused, 64);
  EXPECT_EQ(outcome.served[1].finish, Nanoseconds(63'600'000));
  EXPECT_TRUE(outcome.counts.balances());
}

/// At least one token is computed, even if all blocks are known.
TEST(ServerRun, ComputesTheLastBlockOfAKnownPrompt) {
  const serving::ServerPlan plan = test::one_replica();
  const std::vector<serving::Request> requests{
      {.arrival = milliseconds(0), .input = 64, .output = 1, .blocks = {1, 2}},
      {.arrival = milliseconds(50), .input = 64, .output = 1, .blocks = {1, 2}}};
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_EQ(outcome.served[1].reused, 32);
}

/// A prompt of 100 tokens is read until 20 ms on one replica; its cache is sent in 2 + 100 x 0.05 = 7 ms; the other
/// replica makes two more tokens of 11 ms each.
TEST(ServerRun, SendsCachesToReplicasThatDecode) {
  serving::ServerPlan plan = test::one_replica();
  plan.decode_replicas = 1;
  plan.transfer_latency = milliseconds(2);
  plan.transfer_seconds_per_token = 50e-6;
  const std::vector<serving::Request> requests{{.arrival = milliseconds(0), .input = 100, .output = 3}};
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_EQ(outcome.served[0].first_token, milliseconds(20));
  EXPECT_EQ(outcome.served[0].finish, milliseconds(49));
  EXPECT_EQ(outcome.served[0].replica, 1);
  EXPECT_EQ(outcome.counts.transfers, 1);
}

/// Two prompts of 100 tokens are read until 20 and 40 ms; a cache takes 50 ms of a port and 2 ms more. The second one
/// waits until the first is sent at 70 ms: 50 more, 2 ms of latency and a step of 11 ms make 133.
TEST(ServerRun, SendsOneCacheAtATime) {
  serving::ServerPlan plan = test::one_replica();
  plan.decode_replicas = 1;
  plan.transfer_latency = milliseconds(2);
  plan.transfer_seconds_per_token = 500e-6;
  const std::vector<serving::Request> requests(2, {.arrival = milliseconds(0), .input = 100, .output = 2});
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_EQ(outcome.served[0].finish, milliseconds(20 + 50 + 2 + 11));
  EXPECT_EQ(outcome.served[1].finish, milliseconds(133));
  EXPECT_EQ(outcome.transfer_wait, milliseconds(30));
}

/// Two replicas that read end at 20 ms and send to the same one, which receives one cache after the other; to two
/// replicas they send at once.
TEST(ServerRun, ReceivesOneCacheAtATime) {
  serving::ServerPlan plan = test::one_replica();
  plan.replicas = 2;
  plan.transfer_seconds_per_token = 500e-6;
  const std::vector<serving::Request> requests(2, {.arrival = milliseconds(0), .input = 100, .output = 2});
  for (const std::int64_t decoding : {1, 2}) {
    plan.decode_replicas = decoding;
    const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
    EXPECT_EQ(outcome.served[0].finish, milliseconds(20 + 50 + 11));
    EXPECT_EQ(outcome.served[1].finish, milliseconds(20 + (decoding == 1 ? 100 : 50) + 11));
  }
}

/// The replica that receives stops at 60 ms. Its request and one whose cache waits for the same port are read again;
/// what is sent then finds the ports free.
TEST(ServerRun, FreesThePortsOfAReplicaThatStops) {
  serving::ServerPlan plan = test::one_replica();
  plan.decode_replicas = 1;
  plan.transfer_seconds_per_token = 500e-6;
  plan.outages = {{1, milliseconds(60), milliseconds(70)}};
  const std::vector<serving::Request> requests(2, {.arrival = milliseconds(0), .input = 100, .output = 3});
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  // Both have made a token, and are read with it in 20.1 ms each from 60 ms on, which makes the second one.
  EXPECT_EQ(outcome.counts.requeued, 2);
  EXPECT_EQ(outcome.served[0].finish, Nanoseconds(80'100'000 + 50'500'000 + 11'000'000));
  EXPECT_EQ(outcome.served[1].finish, Nanoseconds(80'100'000 + 2 * 50'500'000 + 11'000'000));
  EXPECT_TRUE(outcome.counts.balances());
}

/// The replica stops in the second step: the request is read again, with its first token, when it comes back at 100 ms:
/// 101 tokens take 20.1 ms and make the second token.
TEST(ServerRun, ReadsAgainWhatAStopHasLost) {
  serving::ServerPlan plan = test::one_replica();
  plan.outages = {{0, milliseconds(25), milliseconds(100)}};
  const std::vector<serving::Request> requests{{.arrival = milliseconds(0), .input = 100, .output = 3}};
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_EQ(outcome.served[0].first_token, milliseconds(20));
  EXPECT_EQ(outcome.served[0].finish, Nanoseconds(131'100'000));
  EXPECT_EQ(outcome.counts.lost_steps, 1);
  EXPECT_EQ(outcome.counts.requeued, 1);
  EXPECT_EQ(outcome.replicas[0].away, milliseconds(75));
  EXPECT_TRUE(outcome.counts.balances());
}

/// Four samples make a batch, the last of five waits for 3 ms; a step takes 10 ms and one for each sample.
TEST(ServerRun, GathersBatchesOfSamples) {
  serving::ServerPlan plan = test::queue_of_samples(1);
  plan.max_batch = 4;
  plan.batch_timeout = milliseconds(3);
  const auto outcome = serving::serve_with_drawn_steps(plan, test::samples_at({0, 1, 2, 2, 30}), sum_of_parts);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(outcome.served[i].finish, milliseconds(16));
  EXPECT_EQ(outcome.served[4].finish, milliseconds(44));
  EXPECT_EQ(outcome.counts.steps, 2);
}

/// The oldest sample waits for 3 ms, whatever its priority: a step of both begins at 3 ms and takes 12.
TEST(ServerRun, HasNoSampleWaitForLongerThanTheTimeout) {
  serving::ServerPlan plan = test::queue_of_samples(1);
  plan.max_batch = 4;
  plan.batch_timeout = milliseconds(3);
  std::vector<serving::Request> requests = test::samples_at({0, 1, 20, 21});
  requests[1].priority = 1;
  requests[2].priority = 1;
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_EQ(outcome.served[0].finish, milliseconds(15));
  EXPECT_EQ(outcome.served[1].finish, milliseconds(15));
  EXPECT_EQ(outcome.served[2].finish, milliseconds(35));
  EXPECT_EQ(outcome.served[3].finish, milliseconds(35));
}

/// 64 of 100 tokens are in the cache: 13.6 ms. The replica stops in the second step and has lost them: 101 tokens take
/// 20.1 ms when it comes back, and make the second token.
TEST(ServerRun, DoesNotReuseWhatAStopHasLost) {
  serving::ServerPlan plan = test::one_replica();
  plan.outages = {{0, milliseconds(20), milliseconds(100)}};
  const std::vector<serving::Request> requests{{.arrival = milliseconds(0), .input = 100, .output = 3, .seen = 64}};
  const auto outcome = serving::serve_with_drawn_steps(plan, requests, sum_of_parts);
  EXPECT_EQ(outcome.served[0].first_token, Nanoseconds(13'600'000));
  EXPECT_EQ(outcome.served[0].finish, Nanoseconds(131'100'000));
  EXPECT_EQ(outcome.served[0].reused, 0);
  EXPECT_EQ(outcome.counts.reused, 64);
  EXPECT_TRUE(outcome.counts.balances());
}

/// 100 tokens at 1e8 seconds each are sent in 317 years, which nanoseconds do not count.
TEST(ServerRun, RefusesTimesThatNanosecondsDoNotHold) {
  serving::ServerPlan plan = test::one_replica();
  plan.decode_replicas = 1;
  plan.transfer_seconds_per_token = 1e8;
  const std::vector<serving::Request> requests{{.arrival = milliseconds(0), .input = 100, .output = 3}};
  EXPECT_THROW(serving::serve(plan, requests, sum_of_parts), base::InputError);
}

/// Round robin has the third request wait although the second replica is idle; least loaded does not.
TEST(ServerRun, RoutesAsThePlanSays) {
  serving::ServerPlan plan = test::queue_of_samples(2);
  const auto step = [](const serving::StepShape&) { return 0.010; };
  plan.router = serving::Router::round_robin;
  const auto turns = serving::serve(plan, test::samples_at({0, 0, 11, 12, 13}), step);
  EXPECT_EQ(turns.served[2].replica, 0);
  EXPECT_EQ(turns.served[4].finish, milliseconds(31));
  plan.router = serving::Router::shared;
  const auto shared = serving::serve(plan, test::samples_at({0, 0, 11, 12, 13}), step);
  EXPECT_EQ(shared.served[4].finish, milliseconds(31));
  plan.router = serving::Router::least_loaded;
  const auto least = serving::serve(plan, test::samples_at({0, 0, 0, 0, 25}), step);
  EXPECT_EQ(least.served[3].finish, milliseconds(20));
  EXPECT_EQ(least.served[3].replica, 1);
}

}  // namespace
}  // namespace podsim
