// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::transform {

/// The numbers of the entry parameters in Module::buffer_donors, in the order of the text.
std::vector<std::int64_t> buffer_donors(const Module& module);

/// The module's donations, and one for each output that has none and whose shape is that of a donor: the first that
/// nothing else takes. A compiler makes the same choice where a framework only says which parameters end with the step,
/// as JAX does for programs of several devices.
std::vector<Donation> with_buffer_donors(const Module& module);

}  // namespace podsim::hlo::transform
