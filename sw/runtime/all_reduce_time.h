// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "noc/topology.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime {

/// The modelled time of an all-reduce of some f32 numbers over all cores of a slice.
base::Time all_reduce_time(const TargetMachine& machine, const noc::Topology& slice, std::int64_t numbers);

}  // namespace podsim::sw::runtime
