// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validation/measured/point.h"
#include "validation/measured/silicon.h"

namespace podsim::validation::measured {

/// A training step of ParaDnn's fully connected networks on the eight cores of a 2x2 slice of TPU v2,
/// paradnn_fc_v2.csv, in three classes. Rows without a trace are left out.
///
/// products: the measured time follows from the FLOP rate of the output fusions in percent of 22.5 TFLOP/s. A product
///   counts 2 FLOPs per weight and sample, of which there are three per layer and two for the first one.
/// all-reduces: of f32 gradients, one per variable, simulated on an idle slice one after another. The measured time is
///   that of the products times the ratio of both shares of the step. It holds waiting for slower cores; steps that the
///   host limits, with over 2 % of infeed, are therefore not modelled.
/// updates: of weights and biases by RMSProp with momentum in three passes each, as XLA counts loop fusions and
///   elementwise ops outside of fusions.
std::vector<PointClass> fc_points(const std::string& file, std::string_view text, Silicon& silicon);

}  // namespace podsim::validation::measured
