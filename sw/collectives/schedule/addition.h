// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/element_type.h"
#include "hw/machine.h"

namespace podsim::sw::collectives::schedule {

/// Work of a vector unit that adds `operands` arrays of `elements` each into one.
hw::VectorWork addition(const hw::Machine& machine, std::int64_t elements, hlo::ElementType type,
                        std::int64_t operands);

}  // namespace podsim::sw::collectives::schedule
