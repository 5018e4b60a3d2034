// SPDX-License-Identifier: Apache-2.0
// --fault of podsim run (app/options/fault_option.h).
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/run/prepared_run.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "sw/placement/mesh_collectives.h"
#include "sw/runtime/pod/collective_schedules.h"
#include "sw/runtime/session/healthy_run.h"
#include "sw/runtime/session/session.h"
#include "tests/app/program.h"

namespace podsim::app::run {
namespace {

RunOptions step_on_8x8(const std::string& workload) {
  RunOptions options;
  options.workload = workload;
  options.slice = "8x8";
  options.detail = "replay";
  return options;
}

struct LinkCost {
  double step = 0;         ///< what the step loses, in picoseconds
  double collectives = 0;  ///< what its collectives lose, each by itself on the idle slice
};

/// What a dead link in the middle of the slice costs.
LinkCost cost_of_dead_link(RunOptions options) {
  options.faults.faults = {noc::parse_fault("dead-link:(3,3)x+")};
  PreparedRun run(options);
  run.compile(nullptr);
  const sw::TargetMachine& machine = run.report().machine;
  const sw::compiler::Program& program = run.report().program;
  const sw::runtime::SimulationOptions simulation = run.simulation_options();
  sw::runtime::session::Session session(machine, run.slice(), simulation);
  const base::Time step = session.run({.program = session.add(program), .steps = 2}).result.step_time;
  const base::Time healthy = sw::runtime::session::run_healthy(machine, run.slice(), program, simulation, 2).step_time;
  LinkCost cost;
  cost.step = double((step - healthy).value());
  sw::collectives::engine::CollectiveTimes times(machine);
  const auto schedules = sw::runtime::pod::schedules_of(program, machine, run.slice(), {}, times);
  sw::collectives::engine::CollectiveOptions alone;
  alone.faults = simulation.faults;
  std::map<const sw::collectives::schedule::CollectiveSchedule*, double> known;
  for (const sw::placement::CountedCollective& counted : sw::placement::counted_collectives(program)) {
    const auto& schedule = schedules[std::size_t(counted.collective)];
    const auto [once, is_new] = known.try_emplace(schedule.get());
    if (is_new) {
      const auto outcome = sw::collectives::engine::simulate_collective(machine, schedule, alone);
      once->second = double((outcome.duration - *outcome.healthy).value());
    }
    cost.collectives += double(counted.count) * once->second;
  }
  return cost;
}

void expect_cost_of_collectives(const RunOptions& options) {
  const LinkCost cost = cost_of_dead_link(options);
  EXPECT_GT(cost.collectives, 0);
  EXPECT_NEAR(cost.step, cost.collectives, 0.05 * cost.collectives);
}

TEST(FaultyRun, ADeadLinkCostsResnet50WhatItsCollectivesLose) {
  RunOptions options = step_on_8x8("resnet50");
  options.build.batch_per_core = 16;
  expect_cost_of_collectives(options);
}

TEST(FaultyRun, ADeadLinkCostsBertWhatItsCollectivesLose) { expect_cost_of_collectives(step_on_8x8("bert_large")); }

TEST(FaultyRun, ADeadLinkCostsAPartitionedTransformerWhatItsCollectivesLose) {
  // Its layers of experts are split over all cores: every collective is one of all of them, so that none has slack.
  RunOptions options = step_on_8x8("moe_decoder");
  options.partition.mesh = "x=128";
  options.build.model["model.layers"] = "2";
  expect_cost_of_collectives(options);
}

using Words = std::vector<std::string>;

const Words step_on_4x4{"run", "resnet50", "--slice", "4x4", "--batch-per-core", "2"};

nlohmann::json faulty_figures(const Words& more) {
  const test::Folder folder;
  Words words = step_on_4x4;
  words.insert(words.end(), more.begin(), more.end());
  words.emplace_back("--json");
  const test::Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(FaultyRun, WhatTheStepLostIsTheSumOfItsParts) {
  const auto run = faulty_figures(
      {"--fault", "dead-link:(0,0)x+", "--fault", "slow-chip:(1,1):0.8", "--fault", "jitter:exponential:100us"});
  const auto healthy = faulty_figures({});
  const auto& faults = run["faults"];
  EXPECT_EQ(faults["list"].size(), 3U);
  EXPECT_EQ(faults["chip"], "(1,1)");
  // The healthy slice has collectives in the order of each by itself, which differs little from that of a run.
  const double healthy_step = faults["healthy_step_time_s"].get<double>();
  EXPECT_NEAR(healthy_step, healthy["step_time_s"].get<double>(), 0.001 * healthy_step);
  const auto& lost = faults["lost_s"];
  const double parts = lost["ops"].get<double>() + lost["waiting"].get<double>() + lost["collectives"].get<double>() +
                       lost["infeed"].get<double>() + lost["other"].get<double>();
  const double step = run["step_time_s"].get<double>() - healthy_step;
  EXPECT_NEAR(parts, step, 1e-11);
  EXPECT_NEAR(lost["step"].get<double>(), step, 1e-11);
  // The ops of chip (1,1) take a quarter longer, rounded up to cycles.
  EXPECT_NEAR(lost["ops"].get<double>(), 0.25 * healthy["breakdown_s"]["compute"].get<double>(), 1e-6);
}

TEST(FaultyRun, TakesTheSameWithoutReductions) {
  const Words faults{"--fault", "dead-link:(1,2)y+", "--fault", "slow-hbm:(3,0):0.7", "--fault", "jitter:5us"};
  Words unfolded = faults;
  unfolded.insert(unfolded.end(), {"--fold", "off"});
  EXPECT_EQ(faulty_figures(faults)["step_time_s"], faulty_figures(unfolded)["step_time_s"]);
}

TEST(FaultyRun, ASlowHostDelaysABatch) {
  const Words fed{"--input", "on", "--steps", "12"};
  Words slow = fed;
  slow.insert(slow.end(), {"--fault", "slow-host:1:0.02"});
  const auto step = faulty_figures(slow);
  // The slowest stage of that host takes fifty times as long, and every step needs a batch of it.
  const double stage = faulty_figures(fed)["input"]["slowest_s"].get<double>();
  EXPECT_NEAR(step["step_time_s"].get<double>(), 50 * stage, 0.01 * 50 * stage);
}

TEST(FaultyRun, WhatCannotBeRunIsBadInput) {
  const std::vector<std::pair<Words, std::string>> mistakes{
      {{"--fault", "dead-lnk:(0,0)x+"}, "did you mean 'dead-link'?"},
      {{"--fault", "dead-link:(9,9)x+"}, "--fault: error: 'dead-link"},
      {{"--fault", "dead-chip:(2,2)"}, "the largest part that is whole is 2x4 chips from (0,0) on"},
      {{"--fault", "slow-host:0:0.5"}, "add --input on"},
      {{"--fault", "slow-host:9:0.5", "--input", "on"}, "has 2 hosts"},
      {{"--fault", "jitter:gaussian:5us"}, "one of: uniform, exponential, normal"},
      {{"--fault", "jitter:5us", "--fold", "all"}, "leave out --fold all"},
      {{"--fault", "slow-chip:(0,0):0.5", "--detail", "chip"}, "leave out --detail chip"},
      {{"--fault", "jitter:5us", "--fault-seed", "-1"}, "--fault-seed"}};
  const test::Folder folder;
  for (const auto& [more, said] : mistakes) {
    Words words = step_on_4x4;
    words.insert(words.end(), more.begin(), more.end());
    const test::Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 2) << said;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  }
}

TEST(FaultyRun, ATrainingTakesLongerByItsSteps) {
  const test::Folder folder;
  const Words words{"train",  "resnet50",  "--slice", "4x4", "--train-steps", "100",
                    "--loop", "steps=100", "--input", "off", "--json"};
  Words slow = words;
  slow.insert(slow.end(), {"--fault", "slow-chip:(1,1):0.5"});
  const auto healthy = nlohmann::json::parse(folder.run(words).out);
  const auto faulty = nlohmann::json::parse(folder.run(slow).out);
  const double lost = faulty["time_to_train_s"].get<double>() - healthy["time_to_train_s"].get<double>();
  EXPECT_NEAR(lost, 100 * faulty["faults"]["lost_s"]["step"].get<double>(), 0.01 * lost);
}

TEST(FaultyRun, AReplayOfATraceTakesTheSameFaults) {
  const test::Folder folder;
  ASSERT_EQ(folder.run({"run", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "-o", "r", "--chakra"}).code, 0);
  const Words words{"trace", "check", "r/chakra", "--json"};
  Words slow = words;
  slow.insert(slow.end(), {"--fault", "slow-chip:(1,1):0.5"});
  const auto healthy = nlohmann::json::parse(folder.run(words).out);
  const auto faulty = nlohmann::json::parse(folder.run(slow).out);
  EXPECT_EQ(faulty["healthy_s"], healthy["replay_s"]);
  // The compute nodes of a rank there take twice as long, and all others wait; what else it does takes twice as long at
  // most.
  const double lost = faulty["replay_s"].get<double>() - healthy["replay_s"].get<double>();
  EXPECT_GE(lost, healthy["compute_s"].get<double>());
  EXPECT_LE(lost, healthy["replay_s"].get<double>());
}

}  // namespace
}  // namespace podsim::app::run
