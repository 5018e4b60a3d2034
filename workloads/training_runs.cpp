// SPDX-License-Identifier: Apache-2.0
#include "workloads/training_runs.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

namespace podsim::workloads {

namespace {

struct Epochs {
  std::int64_t batch;
  double epochs;
  const char* source;
};

// With 4096 images MLPerf's time and cadence on 16 chips tell the epochs: 42.19 min of 131.09 ms are 61.7, and the
// evaluations after 1, 5, 9 ... epochs make it 61. With 32768 images LARS took 72.8, the mean of several runs.
constexpr std::array resnet50_epochs{
    Epochs{4096, 61, "derived from MLPerf v0.6, tpu-v3-32"},
    Epochs{32768, 72.8, "Kumar et al. 2019, Scale MLPerf-0.6 models on Google TPU-v3 Pods, LARS; cited from memory"}};

// Loops of 625 steps of 1024 images: 12.61 min are 11.1 of 68.16 s, so 11, or 60 epochs.
constexpr double ssd_loop_epochs = 625.0 * 1024 / 117'266;
constexpr std::array ssd_epochs{Epochs{1024, 11 * ssd_loop_epochs, "derived from MLPerf v0.6, tpu-v3-32"}};

/// What is known of a workload's trainings.
struct Trainings {
  std::span<const Epochs> rows;
  double between_evaluations = usual_epochs_between_evaluations;
  const char* target = "";
};

Trainings trainings_of(std::string_view workload) {
  if (workload == "resnet50") return {resnet50_epochs, usual_epochs_between_evaluations, "75.9 % top-1"};
  if (workload == "ssd") return {ssd_epochs, ssd_loop_epochs, "23 % mAP"};
  return {};
}

/// For normally distributed epochs, what a run varies by if 90 % of the reported means are within `band` of their own
/// mean: band / 1.645 is the standard deviation of a mean, and that is `of_mean` of a run's.
double spread_of_run(double band, double of_mean) { return band / 1.645 / of_mean; }

}  // namespace

std::optional<Convergence> convergence(std::string_view workload, std::int64_t batch) {
  const Trainings trainings = trainings_of(workload);
  const std::span<const Epochs> rows = trainings.rows;
  Convergence known{0, trainings.between_evaluations, trainings.target, ""};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Epochs& row = rows[i];
    if (batch == row.batch) {
      known.epochs = row.epochs;
      known.source = row.source;
      return known;
    }
    if (i + 1 == rows.size() || batch < row.batch || batch >= rows[i + 1].batch) continue;
    const Epochs& next = rows[i + 1];
    const double way = std::log(double(batch) / double(row.batch)) / std::log(double(next.batch) / double(row.batch));
    known.epochs = row.epochs + way * (next.epochs - row.epochs);
    known.source = fmt::format("between batches of {} and {}", row.batch, next.batch);
    return known;
  }
  return std::nullopt;
}

std::optional<std::pair<std::int64_t, std::int64_t>> known_batches(std::string_view workload) {
  const std::span<const Epochs> rows = trainings_of(workload).rows;
  if (rows.empty()) return std::nullopt;
  return std::pair(rows.front().batch, rows.back().batch);
}

EpochSpread usual_epoch_spread(std::string_view workload) {
  // The mean of the middle three of five normally distributed numbers varies by 0.476 of their deviation, that of the
  // middle eight of ten by 0.324.
  if (workload.starts_with("resnet") || workload == "ssd") {
    return {spread_of_run(0.05, 0.476), "Mattson et al. 2020: of vision, 90 % of means of five runs are within 5 %"};
  }
  return {spread_of_run(0.10, 0.324), "Mattson et al. 2020: but for vision, 90 % of means of ten runs are within 10 %"};
}

std::vector<PublishedRun> published_runs(std::string_view workload) {
  if (workload == "resnet50") {
    return {{16, 4096, 42.19, "MLPerf v0.6, tpu-v3-32", true, {}},
            {64, 16384, 11.22, "MLPerf v0.6, tpu-v3-128; cited from memory", false, {}},
            {256, 32768, 3.85, "MLPerf v0.6, tpu-v3-512; cited from memory", false, {}},
            {512, 32768, 2.27, "MLPerf v0.6, tpu-v3-1024", false, {}},
            {1024, 32768, 1.28, "MLPerf v0.6, tpu-v3-2048; cited from memory", false, {}},
            {4096, 65536, 0.48, "MLPerf v0.7, tpu-v3-8192; cited from memory", false, 88}};
  }
  if (workload == "ssd") {
    return {{16, 1024, 12.61, "MLPerf v0.6, tpu-v3-32; cited from memory", true, {}},
            {64, 1024, 3.89, "MLPerf v0.6, tpu-v3-128; cited from memory", false, {}}};
  }
  return {};
}

}  // namespace podsim::workloads
