// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "studies/plan/metrics.h"
#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// Adds the paths to all numbers; the rows of a list share one path.
void add_numbers(const Json& json, const std::string& way, std::set<std::string>& ways) {
  if (json.is_number()) ways.insert(way);
  if (json.is_array()) {
    for (const Json& row : json) add_numbers(row, way, ways);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) add_numbers(value, way.empty() ? key : way + "." + key, ways);
  }
}

/// Runs that between them have every figure there is.
std::vector<Words> run_commands() {
  return {{"run", "resnet50", "--slice", "2x2", "--batch-per-core", "8", "--memory", "bank"},
          {"run", "bert_large", "--slice", "2x2", "--set", "model.layers=2", "--weight-update-sharding", "on"},
          {"run", "pipelined_mlp", "--slice", "2x2"},
          {"run", "transformer", "--slice", "2x2", "--decode", "--set", "model.layers=2"},
          {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "--fault", "dead-link:(0,0)x+", "--fault",
           "jitter:5us", "--fault", "speeds:0.01"},
          {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "--detail", "chip", "--chip-ops",
           "layer4/block2/conv1"},
          {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "--loop", "steps=10 eval=2 checkpoint=5",
           "--set", "job.outfeed=1 KiB"},
          {"run", "perceptron", "--slice", "1x1", "--place-operators", "2", "--set", "model.layers=2"},
          {"run", "transformer", "--slice", "2x2", "--set", "model.layers=2", "--rematerialise", "layer"}};
}

std::vector<Words> trainings() {
  const Words training{"train", "resnet50", "--slice", "2x2", "--batch-per-core", "8", "--epochs", "8"};
  Words all = training;
  all.insert(all.end(), {"--runs", "3", "--checkpoint", "100", "--restore", "--set", "job.outfeed=1 KiB"});
  return {training,
          all,
          {"train", "resnet50", "--slice", "2x2", "--train-steps", "10", "--input", "off"},
          {"train", "resnet50", "--slice", "2x2", "--train-steps", "10", "--fault", "dead-link:(0,0)x+", "--fault",
           "jitter:5us", "--fault", "speeds:0.01"}};
}

std::vector<Words> collectives() {
  return {{"collective", "all-reduce", "--bytes", "64KiB", "--slice", "4x4", "--verify"},
          {"collective", "all-gather", "--bytes", "64KiB", "--slice", "4x4", "--fault", "dead-link:(0,0)x+"}};
}

std::vector<Words> jobs_with_failures() {
  const Words job{"goodput", "perceptron", "--slice", "2x2", "--set", "model.layers=2", "--days", "10", "--seeds", "5"};
  Words alone = job;
  alone.insert(alone.end(), {"--without-spare", "wait"});
  return {job, alone};
}

std::vector<Words> servers() {
  const Words tiny{"serve",      "transformer",
                   "--rate",     "50/s",
                   "--requests", "40",
                   "--prompt",   "200",
                   "--answer",   "5",
                   "--set",      "model.layers=1",
                   "--set",      "model.d_model=128",
                   "--set",      "model.heads=2",
                   "--set",      "model.vocabulary=256"};
  Words all = tiny;
  all.insert(all.end(), {"--slo", "ttft<1s", "--decode-replicas", "1", "--draft", "transformer", "--accept", "0.5",
                         "--draft-set", "model.layers=1", "--draft-set", "model.vocabulary=256"});
  Words experts = tiny;
  experts.insert(experts.end(), {"--set", "model.experts=4", "--set", "model.expert_interval=1", "--expert-skew", "1"});
  return {all, experts, {"serve", "resnet50", "--rate", "100/s", "--requests", "50"}};
}

/// The numbers that a table must name, and those that all of the runs have.
struct Figures {
  std::set<std::string> some, all;
};

Figures figures_of(const std::vector<Words>& commands) {
  const test::Folder folder;
  Figures figures;
  bool first = true;
  for (Words words : commands) {
    words.emplace_back("--json");
    const test::Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    if (outcome.code != 0) continue;
    std::set<std::string> ways;
    add_numbers(Json::parse(outcome.out), "", ways);
    for (const char* none : {"schema_version", "wall_s", "compile_s", "partition_s"}) ways.erase(none);
    figures.some.insert(ways.begin(), ways.end());
    if (first) figures.all = ways;
    std::erase_if(figures.all, [&](const std::string& way) { return !ways.contains(way); });
    first = false;
  }
  return figures;
}

void expect_table(const std::string& command, const Figures& figures) {
  std::set<std::string> named;
  for (const studies::plan::StudyMetric& metric : studies::plan::study_metrics(command)) {
    named.insert(metric.name);
    EXPECT_TRUE(figures.some.contains(metric.name) || metric.name.starts_with("loops."))
        << metric.name << " is in no run";
    if (!metric.always || metric.of != studies::plan::MetricOf::value) continue;
    EXPECT_TRUE(figures.all.contains(metric.name)) << metric.name << " is not in every run";
  }
  for (const std::string& way : figures.some) EXPECT_TRUE(named.contains(way)) << way << " is no metric";
}

TEST(StudyMetrics, OfRunsAreTheNumbersOfItsJson) { expect_table("run", figures_of(run_commands())); }
TEST(StudyMetrics, OfTrainingsAreTheNumbersOfItsJson) { expect_table("train", figures_of(trainings())); }
TEST(StudyMetrics, OfJobsWithFailuresAreTheNumbersOfItsJson) {
  expect_table("goodput", figures_of(jobs_with_failures()));
}
TEST(StudyMetrics, OfServersAreTheNumbersOfItsJson) { expect_table("serve", figures_of(servers())); }
TEST(StudyMetrics, OfCollectivesAreTheNumbersOfItsJson) { expect_table("collective", figures_of(collectives())); }

}  // namespace
}  // namespace podsim
