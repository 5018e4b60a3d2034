// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "workloads/workload.h"

namespace podsim::workloads::lengths {

/// How lengths of samples enter a workload.
struct LengthKeys {
  std::string array = {};  ///< key with the tokens of a sequence, with padding: "model.length"
  std::string longest =
      {};  ///< key with the tokens of the batch's longest sample; empty: the program does not depend on it
  std::int64_t room = 0;  ///< value of the key `array`
  bool packed = false;    ///< a sequence has several samples
};

/// The keys of a workload with model.length or model.sequence, by its keys (model.longest and model.packed too) and
/// `settings`, which are valid. std::nullopt for a workload without one.
std::optional<LengthKeys> length_keys(const WorkloadEntry& entry, const ModelSettings& settings);

}  // namespace podsim::workloads::lengths
