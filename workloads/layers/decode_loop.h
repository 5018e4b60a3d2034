// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/training_step.h"

namespace podsim::workloads::layers {

/// Steps of decoding in a loop on the device. `step` takes tokens s32[rows, 1], its first parameter of that shape, and
/// gives the next ones as its first result, which trip after trip become the tokens; results that replace parameters do
/// so, "position" grows by one, and all other parameters stay. Results that replace nothing are s32[rows, 1]. "uniform"
/// [rows], from which tokens are drawn, becomes [steps, rows].
///
/// The module has the step's parameters and results; those that replace nothing are s32[rows, steps], of all trips.
TrainingStep decode_loop(const TrainingStep& step, std::int64_t steps);

}  // namespace podsim::workloads::layers
