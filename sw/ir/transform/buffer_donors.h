// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/ir/graph.h"

namespace podsim::sw::ir::transform {

/// The numbers of the entry parameters in Module::buffer_donors, in the order of the text.
std::vector<std::int64_t> buffer_donors(const Module& module);

/// The module's donations, and one for each output that has none and whose shape is that of a donor: the first that
/// nothing else takes. A compiler chooses the same way where a framework only says which parameters end with the step,
/// as JAX does for programs of several devices.
std::vector<Donation> with_buffer_donors(const Module& module);

}  // namespace podsim::sw::ir::transform
