// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace podsim::workloads {

/// Epochs between two evaluations where nothing says otherwise, as MLPerf has it for ResNet-50.
constexpr double usual_epochs_between_evaluations = 4;

/// Epochs until a network is as good as MLPerf asks for.
struct Convergence {
  double epochs = 0;
  double between_evaluations = 0;  ///< epochs
  std::string target;              ///< "75.9 % top-1"
  std::string source;
};

/// By how much the epochs to the same quality vary from run to run.
struct EpochSpread {
  double value = 0;  ///< standard deviation over mean
  std::string source;
};
EpochSpread usual_epoch_spread(std::string_view workload);

/// What is known of a workload trained with a batch: a published number of epochs, or one between two of them, linear
/// over the logarithm of the batch. std::nullopt for workloads and batches outside what was published.
std::optional<Convergence> convergence(std::string_view workload, std::int64_t batch);

/// The smallest and the largest batch that convergence() knows; std::nullopt for a workload without any.
std::optional<std::pair<std::int64_t, std::int64_t>> known_batches(std::string_view workload);

struct PublishedRun {
  std::int64_t chips = 0, batch = 0;
  double minutes = 0;
  std::string source;
  bool used = false;             ///< a number of epochs above is derived from it
  std::optional<double> epochs;  ///< published with it, for a batch that convergence() does not know
};

/// Published times to train on TPU v3, by chips.
std::vector<PublishedRun> published_runs(std::string_view workload);

}  // namespace podsim::workloads
