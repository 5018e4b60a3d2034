// SPDX-License-Identifier: Apache-2.0
#include "validation/jobs/published_jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace podsim::validation::jobs {
namespace {

std::string word_after(const PublishedJob& job, const std::string& flag) {
  const auto found = std::ranges::find(job.command, flag);
  return found == job.command.end() ? "" : *(found + 1);
}

std::int64_t cores_of(const std::string& slice) {
  return 2 * std::stoll(slice) * std::stoll(slice.substr(slice.find('x') + 1));
}

/// Cadences of a step in milliseconds, as in training_steps.csv.
TEST(PublishedJobs, LoopsAreTheirStepsAtThePublishedCadence) {
  const std::map<std::string, double> cadence = {
      {"resnet50 4x4", 131.09}, {"resnet50 8x8", 130.90}, {"resnet50 16x16", 78.71}, {"resnet50 32x16", 44.08},
      {"ssd 4x4", 109.1},       {"ssd 8x8", 33.62},       {"ssd 32x16", 15.96},      {"bert_large 4x4", 460.3}};
  std::size_t loops = 0;
  for (const PublishedJob& job : published_jobs()) {
    if (job.kind != JobKind::loop) continue;
    ++loops;
    const double steps = std::stod(word_after(job, "--loop").substr(std::string("steps=").size()));
    EXPECT_NEAR(job.seconds / (steps * 1e-3 * cadence.at(job.network + " " + job.slice)), 1, 0.002) << job.network;
  }
  EXPECT_EQ(loops, cadence.size());
}

/// The batches of MLPerf's runs, by the network and its chips.
TEST(PublishedJobs, TrainingsHaveThePublishedBatch) {
  const std::map<std::string, std::int64_t> batches = {
      {"resnet50 4x4", 4096},    {"resnet50 8x8", 16384},    {"resnet50 16x16", 32768}, {"resnet50 32x16", 32768},
      {"resnet50 32x32", 32768}, {"resnet50 128x32", 65536}, {"ssd 4x4", 1024},         {"ssd 8x8", 1024}};
  std::size_t trainings = 0;
  for (const PublishedJob& job : published_jobs()) {
    if (job.kind != JobKind::training) continue;
    ++trainings;
    EXPECT_EQ(std::stoll(word_after(job, "--batch-per-core")) * cores_of(job.slice),
              batches.at(job.network + " " + job.slice));
  }
  EXPECT_EQ(trainings, batches.size());
}

PublishedJob start_of(double seconds, bool used) {
  return {JobKind::start, "net", "2x2", seconds, "a paper", used, {"train", "net"}};
}

/// Two errors of +20 and -10 % count; that of a figure that was used does not, nor one that was not simulated.
TEST(PublishedJobs, TheMeanErrorIsThatOfFiguresThatWereNotUsed) {
  const std::vector<SimulatedJob> jobs = {{start_of(100, false), 120.0, ""},
                                          {start_of(200, false), 180.0, ""},
                                          {start_of(100, true), 300.0, ""},
                                          {start_of(100, false), {}, "error: no room"}};
  const nlohmann::json json = nlohmann::json::parse(jobs_json(jobs));
  EXPECT_EQ(json["not_used"]["start"]["figures"], 2);
  EXPECT_NEAR(json["not_used"]["start"]["mean_error"], 0.15, 1e-12);
  EXPECT_EQ(json["not_used"]["loop"]["figures"], 0);
  EXPECT_NEAR(json["jobs"][1]["error"], -0.10, 1e-12);
  EXPECT_TRUE(json["jobs"][3]["simulated_s"].is_null());
  EXPECT_EQ(json["jobs"][0]["command"], "podsim train net");
  const std::string text = jobs_text(jobs);
  EXPECT_NE(text.find("start     15.0 % of 2"), std::string::npos) << text;
  EXPECT_NE(text.find("4  is not simulated: error: no room"), std::string::npos) << text;
  const std::string csv = jobs_csv(jobs);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 5);
}

}  // namespace
}  // namespace podsim::validation::jobs
