// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

/// The gradients at the two ends of a region in which every device has a value of its own (a shard_map). Before and
/// after it a value is one for all devices, in it a gradient is that of the sum of the devices' losses: several devices
/// that hold the same part share its gradient equally, and on the way back their gradients are added up.
namespace podsim::hlo::transform::gradient {

/// True for the custom calls at the ends of a region.
bool bounds_manual_region(const Instruction& instruction);

/// Requires such a custom call.
void manual_region_gradient(Backward& s);

}  // namespace podsim::hlo::transform::gradient
