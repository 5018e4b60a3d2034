// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/serve_options.h"
#include "app/serve/weight_bytes.h"
#include "sw/target_machine.h"

namespace podsim::app::serve {

struct WalkedSlice {
  std::string name;  ///< "4x2"
  std::int64_t chips = 0;
};

/// The slices that the machine forms within a pod, by chips, the squarer first. Along dimensions in which a pod is as
/// long, the longer one comes first, since turned slices are alike.
std::vector<WalkedSlice> slices_of_pod(const sw::TargetMachine& machine);

/// Why a slice of a server of tokens cannot meet the level, without a simulation:
///
///   memory     the weights are more than its memory
///   a step     reads all weights that it multiplies by, which takes their bytes over the rate of the HBM: above the
///              limit of the first token or the latency, or, of as many tokens as a step makes at most, above that of
///              each further token
class SliceBounds {
 public:
  SliceBounds(const ServeOptions& options, const sw::TargetMachine& machine);

  /// The reason; std::nullopt: it may meet it.
  std::optional<std::string> hopeless(std::int64_t chips) const;
  /// Seconds that a step takes at least.
  double least_step_s(std::int64_t chips) const;

 private:
  double memory_of_chip_, rate_of_chip_;
  double tokens_of_step_;
  std::optional<double> step_limit_, token_limit_;
  WeightBytes weights_;
};

}  // namespace podsim::app::serve
