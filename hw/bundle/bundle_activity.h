// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/activity.h"
#include "hw/bundle/bundle_run.h"

namespace podsim::hw::bundle {

/// What a run did, in the counts of the tile level (hw/activity.h). Eight rows pass an array with every push; operands
/// of arrays are vector loads, which pass VMEM's port once. The scalar unit's code is a time there, not events.
Activity bundle_activity(const Machine& machine, const BundleRunResult& run);

}  // namespace podsim::hw::bundle
