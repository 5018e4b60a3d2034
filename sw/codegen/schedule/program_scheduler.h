// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/isa/bundle.h"
#include "hw/machine.h"
#include "sw/codegen/schedule/region.h"

namespace podsim::sw::codegen::schedule {

/// Schedules recorded code into bundles, with a halt at the end. Regions are scheduled one by one; then registers are
/// allocated for the whole program. If they do not suffice, the region with the shortage is scheduled again at a higher
/// PressureLevel. Throws base::SimulationError, with a message that begins with `name`, if they do not suffice even
/// with the operations in their original order.
std::vector<hw::isa::Bundle> schedule_program(const hw::Machine& machine, const std::string& name,
                                              registers::RecordedCode code, RegisterSource registers);

}  // namespace podsim::sw::codegen::schedule
