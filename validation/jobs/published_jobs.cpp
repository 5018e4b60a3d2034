// SPDX-License-Identifier: Apache-2.0
#include "validation/jobs/published_jobs.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "workloads/training_runs.h"

namespace podsim::validation::jobs {
namespace {

constexpr std::int64_t cores_of_chip = 2;  // TPU v3

// The loops are those of MLPerf's logs. They hold the steps between two evaluations and one of these, so that a loop of
// n steps takes n times the published cadence.
constexpr const char* v06 = "MLPerf v0.6, cadence";
constexpr const char* v07 = "MLPerf v0.7, cadence";
constexpr const char* starts = "published, as [job] of tpu-v3 says";
constexpr const char* starts_from_memory = "Kumar et al. 2021; cited from memory";

std::vector<PublishedJob> loops() {
  const auto loop = [](double seconds, const char* source, bool used, std::string network, std::string slice,
                       std::vector<std::string> size, std::string plan) {
    std::vector<std::string> command{"run", network, "--slice", slice};
    command.insert(command.end(), size.begin(), size.end());
    command.insert(command.end(), {"--loop", std::move(plan)});
    return PublishedJob{JobKind::loop, std::move(network), std::move(slice), seconds, source, used, std::move(command)};
  };
  // What the submissions configure: validation/measured/published/submission.h.
  const auto batch = [](const char* samples) {
    return std::vector<std::string>{"--batch-per-core", samples, "--set", "model.gradient_type=f32"};
  };
  const auto ssd = [](std::vector<std::string> size, const std::string& cores) {
    size.insert(size.end(), {"--set", "model.bn_group=" + cores});
    return size;
  };
  const std::vector<std::string> spatial = {"--set", "model.batch=2048",       "--set", "model.spatial=4",
                                            "--set", "model.gradient_type=f32"};
  return {loop(164.12, v06, true, "resnet50", "4x4", batch("128"), "steps=1252 eval=13"),
          loop(40.97, v06, false, "resnet50", "8x8", batch("128"), "steps=313 eval=4"),
          loop(12.36, v06, false, "resnet50", "16x16", batch("64"), "steps=157 eval=2"),
          loop(6.92, v06, false, "resnet50", "32x16", batch("32"), "steps=157 eval=2"),
          loop(68.16, v06, true, "ssd", "4x4", ssd(batch("32"), "2"), "steps=625 eval=5"),
          loop(21.01, v06, false, "ssd", "8x8", ssd(batch("8"), "8"), "steps=625 eval=5"),
          loop(313 * 15.96e-3, v06, true, "ssd", "32x16", ssd(spatial, "32"), "steps=313 eval=3"),
          loop(514.2, v07, false, "bert_large", "4x4", batch("14"), "steps=1117")};
}

/// The slice that MLPerf's runs had with `chips` chips.
std::string slice_of(std::int64_t chips) {
  constexpr std::array slices{std::pair(16, "4x4"),    std::pair(64, "8x8"),     std::pair(256, "16x16"),
                              std::pair(512, "32x16"), std::pair(1024, "32x32"), std::pair(4096, "128x32")};
  for (const auto& [count, slice] : slices) {
    if (count == chips) return slice;
  }
  return fmt::format("{}x1", chips);
}

std::vector<PublishedJob> trainings() {
  std::vector<PublishedJob> jobs;
  for (const char* network : {"resnet50", "ssd"}) {
    for (const workloads::PublishedRun& run : workloads::published_runs(network)) {
      const std::string slice = slice_of(run.chips);
      std::vector<std::string> command{"train",
                                       network,
                                       "--slice",
                                       slice,
                                       "--batch-per-core",
                                       fmt::to_string(run.batch / run.chips / cores_of_chip)};
      if (run.epochs) command.insert(command.end(), {"--epochs", fmt::to_string(*run.epochs)});
      jobs.push_back({JobKind::training, network, slice, run.minutes * 60, run.source, run.used, std::move(command)});
    }
  }
  return jobs;
}

/// Starts on 4096 chips, with one client (TensorFlow) and with one on each host (JAX).
std::vector<PublishedJob> all_starts() {
  std::vector<PublishedJob> jobs;
  const auto both = [&](const std::string& network, std::vector<std::string> size, double one, double per_host,
                        const char* source, bool used) {
    for (const auto& [clients, seconds] : {std::pair("one", one), std::pair("per-host", per_host)}) {
      std::vector<std::string> command{"train", network, "--slice", "128x32"};
      command.insert(command.end(), size.begin(), size.end());
      command.insert(command.end(), {"--clients", clients});
      jobs.push_back({JobKind::start, network, "128x32", seconds, source, used, std::move(command)});
    }
  };
  // The length of the training does not matter, whether there is an evaluation does.
  const auto any_length = [](const char* samples) {
    return std::vector<std::string>{"--batch-per-core", samples, "--train-steps", "100", "--loop", "steps=100 eval=1"};
  };
  both("resnet50", any_length("8"), 495, 136, starts, true);
  both("bert_large", any_length("1"), 1040, 190, starts_from_memory, false);
  both("ssd", any_length("1"), 772, 122, starts_from_memory, false);
  both("transformer_mlperf", any_length("1"), 868, 294, starts_from_memory, false);
  return jobs;
}

}  // namespace

const char* PublishedJob::pointer() const {
  switch (kind) {
    case JobKind::loop:
      return "/train_loop/time_s";
    case JobKind::training:
      return "/time_to_train_s";
    case JobKind::start:
      return "/start/time_s";
  }
  return "";
}

std::vector<PublishedJob> published_jobs() {
  std::vector<PublishedJob> jobs;
  for (std::vector<PublishedJob> kind : {loops(), trainings(), all_starts()}) {
    for (PublishedJob& job : kind) jobs.push_back(std::move(job));
  }
  return jobs;
}

double error_of(const SimulatedJob& job) { return job.seconds ? *job.seconds / job.published.seconds - 1 : 0; }

}  // namespace podsim::validation::jobs
