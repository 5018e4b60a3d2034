// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/measured/point.h"
#include "workloads/measured/silicon.h"

namespace podsim::workloads::measured {

/// Matrix products in a training step of ParaDnn's fully connected networks on one of eight cores of TPU v2:
/// paradnn_fc_v2.csv. Their measured time follows from the FLOP rate of the output fusions in percent of 22.5 TFLOP/s;
/// rows without a trace are left out. A product counts 2 FLOPs per weight and sample, of which there are three per
/// layer and two for the first one.
std::vector<PointClass> fc_points(const std::string& file, std::string_view text, Silicon& silicon);

}  // namespace podsim::workloads::measured
