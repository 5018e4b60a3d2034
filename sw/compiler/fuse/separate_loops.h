// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

bool is_array(const hlo::Shape& shape);

/// Number of loops in a fusion's body: parts that share no array. A scalar parameter does not connect parts. At least
/// 1.
std::int64_t separate_loops(const hlo::Computation& body);

}  // namespace podsim::sw::compiler::fuse
