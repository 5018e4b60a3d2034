// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/request_trace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "workloads/serving/service_level.h"
#include "workloads/serving/serving_summary.h"

namespace podsim {
namespace serving = workloads::serving;

namespace {
using serving::Nanoseconds;

std::string refusal_of_trace(const std::string& text) {
  try {
    serving::read_requests("trace", text);
  } catch (const base::InputError& error) {
    return base::format(error.diagnostics()[0]);
  }
  return "";
}

/// In the order of time, from the first on: 18:17:03.98 to 18:17:04.08 is 100 ms.
TEST(RequestTrace, ReadsTheFormOfAzure) {
  const auto requests = serving::read_requests("trace",
                                               "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                                               "2023-11-16 18:17:04.0800000,396,109\n"
                                               "2023-11-16 18:17:03.9800000,374,44\n");
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].input, 374);
  EXPECT_EQ(requests[1].output, 109);
  EXPECT_NEAR(double(requests[1].arrival.value()), 1e8, 1000);
}

/// 29 February to 1 March of a leap year is a day.
TEST(RequestTrace, KnowsTheCalendar) {
  const auto requests = serving::read_requests(
      "trace", "arrival_s,input,output,priority\n2024-02-29 00:00:00,1,1,0\n2024-03-01 00:00:01,1,0,2\n");
  EXPECT_EQ(requests[1].arrival, Nanoseconds(86'401'000'000'000));
  EXPECT_EQ(requests[1].priority, 2);
  EXPECT_EQ(requests[1].output, 1);
}

TEST(RequestTrace, ReadsTheFormOfMooncake) {
  const auto requests = serving::read_requests(
      "trace",
      "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": [46, 47, 48]}\n"
      "{\"timestamp\": 30535, \"input_length\": 6472, \"output_length\": 26, \"hash_ids\": [46, 5]}\n");
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].arrival, Nanoseconds(3'053'000'000));
  EXPECT_EQ(requests[0].blocks, (std::vector<std::uint64_t>{46, 47, 48}));
}

TEST(RequestTrace, RefusesWhatIsNotARequest) {
  EXPECT_NE(refusal_of_trace("arrival_s,input\n1,2\n").find("output"), std::string::npos);
  EXPECT_NE(refusal_of_trace("arrival_s,input,output\n1,-2,3\n").find("trace:2:3"), std::string::npos);
  EXPECT_NE(refusal_of_trace("arrival_s,input,output\nnoon,2,3\n").find("not a time"), std::string::npos);
  EXPECT_NE(refusal_of_trace("arrival_s,input,output\n1,2.5,3\n").find("number of tokens"), std::string::npos);
  EXPECT_NE(refusal_of_trace("arrival_s,input,output\n").find("no requests"), std::string::npos);
  EXPECT_NE(refusal_of_trace("{\"timestamp\": 1}\n").find("no 'input_length'"), std::string::npos);
  EXPECT_NE(refusal_of_trace("{\"timestamp\": 1\n").find("not a JSON object"), std::string::npos);
}

TEST(ServiceLevel, IsReadAndHeld) {
  const serving::ServiceLevel level = serving::parse_service_level("--slo", "ttft<500ms,tpot<0.05 s");
  EXPECT_EQ(level.ttft, 0.5);
  EXPECT_EQ(level.tpot, 0.05);
  EXPECT_TRUE(level.met({0, 0.5, 0.05, 100}));
  EXPECT_FALSE(level.met({0, 0.51, 0.05, 0.6}));
  EXPECT_FALSE(level.met({0, 0.5, 0.051, 0.6}));
}

/// Without a request that is counted there is none that meets the level.
TEST(ServiceLevel, IsNotMetByNothing) {
  const serving::ServiceLevel level = serving::parse_service_level("--slo", "latency<1s");
  const std::vector<serving::Request> requests{{.arrival = serving::Nanoseconds(1)}};
  serving::ServingOutcome outcome;
  outcome.served.resize(1);
  EXPECT_EQ(serving::summary_of({}, requests, outcome, level, serving::Nanoseconds(2)).level_share, 0);
  EXPECT_EQ(serving::summary_of({}, requests, outcome, level, serving::Nanoseconds(0)).level_share, 0);
}

TEST(ServiceLevel, PointsAtWhatIsNoLimit) {
  const auto refusal = [](const char* text) -> std::string {
    try {
      serving::parse_service_level("--slo", text);
    } catch (const base::InputError& error) {
      return base::format(error.diagnostics()[0]);
    }
    return "";
  };
  EXPECT_NE(refusal("ttft").find("not a limit"), std::string::npos);
  EXPECT_NE(refusal("tftt<1 s").find("did you mean 'ttft'?"), std::string::npos);
  EXPECT_NE(refusal("ttft<3 MB").find("not a time above 0"), std::string::npos);
  EXPECT_NE(refusal("ttft<1 s,ttft<2 s").find("two limits"), std::string::npos);
}

/// A request arrives at 1 s, has its first token at 3 s and five tokens until 7 s.
TEST(RequestTimes, AreThoseBetweenItsTokens) {
  const auto at = [](std::int64_t seconds) { return Nanoseconds(seconds * 1'000'000'000); };
  serving::Served served;
  served.admitted = at(2);
  served.first_token = at(3);
  served.finish = at(7);
  const serving::RequestTimes times = serving::times_of({.arrival = at(1), .input = 5, .output = 5}, served);
  EXPECT_EQ(times.wait, 1);
  EXPECT_EQ(times.first_token, 2);
  EXPECT_EQ(times.per_token, 1);
  EXPECT_EQ(times.latency, 6);
}

}  // namespace
}  // namespace podsim
