// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/isa/bundle.h"
#include "hw/machine.h"
#include "sw/kernels/region.h"

namespace podsim::sw {

/// Recorded code as bundles, with a halt behind it. Regions are scheduled one by one and registers given to the whole;
/// where they do not suffice the region is scheduled anew with more caution. base::SimulationError, which `name`
/// begins, if they do not even in the order in which the code was written.
std::vector<hw::isa::Bundle> schedule_program(const hw::Machine& machine, const std::string& name, RecordedCode code,
                                              RegisterSource registers);

}  // namespace podsim::sw
