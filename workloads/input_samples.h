// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hw/input/input_plan.h"

namespace podsim::workloads {

/// What a built-in workload is trained and evaluated on, as MLPerf defines it.
struct InputSamples {
  hw::input::SampleWork work;
  std::int64_t training = 0;    ///< samples of the training set; 0 if an epoch is not defined
  std::int64_t evaluation = 0;  ///< samples of the evaluation set
};

/// std::nullopt for workloads whose data are not defined, such as files and synthetic models.
std::optional<InputSamples> input_samples(std::string_view workload);

}  // namespace podsim::workloads
