// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/serve/scenario_run.h"
#include "tests/app/program.h"

namespace podsim {
namespace {

using ScenarioFigures = nlohmann::json;

/// The probability that a request of M/D/1 waits for at most `t`, with service D and rate lambda (Erlang 1909):
///   (1 - rho) sum over k = 0 ... floor(t / D) of (lambda (k D - t))^k / k! exp(-lambda (k D - t))
double erlang_wait(double t, double service, double rate) {
  double sum = 0, factorial = 1;
  for (int k = 0; k <= int(t / service); ++k) {
    if (k > 0) factorial *= k;
    const double x = rate * (k * service - t);
    sum += std::pow(x, k) / factorial * std::exp(-x);
  }
  return (1 - rate * service) * sum;
}

/// A server of one sample a step: at the rate that is found 99 % of the queries are within the limit, by the closed
/// form. The distribution at that rate scatters by sqrt(0.99 x 0.01 / 100,000) and the correlation of waits: 0.002 in
/// all.
TEST(ServedScenario, FindsTheRateOfMD1) {
  workloads::serving::ServerPlan plan;
  plan.tokens = false;
  plan.router = workloads::serving::Router::shared;
  plan.buckets.page = 0;
  const double service = 0.01;
  for (const double limit : {0.03, 0.05, 0.08}) {
    const auto found = app::serve::highest_rate(plan, 1 / service, {limit, 0.99, 200'000, 1},
                                                [&](const workloads::serving::StepShape&) { return service; });
    EXPECT_NEAR(erlang_wait(limit - service, service, found.rate), 0.99, 0.002) << "limit " << limit;
    EXPECT_LE(found.latency_s, limit);
  }
}

ScenarioFigures figures_of_scenario(const test::Folder& folder, std::vector<std::string> more) {
  std::vector<std::string> words{"serve", "resnet50", "--slice", "1x1", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const test::Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return ScenarioFigures::parse(outcome.out);
}

/// Offline is the greatest rate of all batches, the server's rate is below it, and the more so the tighter the limit.
/// The latency of a stream is the step of `podsim run --inference` with a sample a core.
TEST(ServedScenario, AreOrdered) {
  const test::Folder folder;
  const ScenarioFigures offline = figures_of_scenario(folder, {"--scenario", "offline"});
  for (const ScenarioFigures& batch : offline["batches"]) {
    EXPECT_LE(batch["samples_per_s"], offline["samples_per_s"]);
    EXPECT_NEAR(batch["samples_per_s"].get<double>() * batch["step_s"].get<double>(), batch["samples"].get<double>(),
                1e-6);
  }
  double before = offline["samples_per_s"];
  for (const char* limit : {"latency<100ms", "latency<15ms", "latency<5ms"}) {
    const ScenarioFigures server =
        figures_of_scenario(folder, {"--scenario", "server", "--requests", "20000", "--slo", limit});
    EXPECT_LT(server["samples_per_s"], before) << limit;
    EXPECT_LE(server["latency_s"], server["limit_s"]);
    before = server["samples_per_s"];
  }
  const ScenarioFigures published = figures_of_scenario(folder, {"--scenario", "server", "--requests", "20000"});
  EXPECT_EQ(published["limit_s"], 0.015);

  const ScenarioFigures stream = figures_of_scenario(folder, {"--scenario", "single_stream"});
  const test::Outcome run =
      folder.run({"run", "resnet50", "--slice", "1x1", "--inference", "--batch-per-core", "1", "--json"});
  EXPECT_NEAR(stream["latency_s"].get<double>(), ScenarioFigures::parse(run.out)["step_time_s"].get<double>(), 1e-9);
}

/// MLPerf's limit is of samples of 384 tokens.
TEST(ServedScenario, WarnsOfOtherSamplesThanThoseOfTheLimit) {
  const test::Folder folder;
  for (const char* sequence : {"384", "128"}) {
    const test::Outcome outcome =
        folder.run({"serve", "bert_large", "--scenario", "server", "--requests", "100", "--max-batch", "2", "--set",
                    std::string("model.sequence=") + sequence, "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const bool warned = outcome.out.find("the limit is of samples of 384 tokens") != std::string::npos;
    EXPECT_EQ(warned, std::string(sequence) != "384");
  }
}

}  // namespace
}  // namespace podsim
