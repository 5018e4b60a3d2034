// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/graph/graph.h"

namespace podsim::sw {

bool is_array(const Shape& shape);

/// How many loops a fusion's body is: parts that share no array. A scalar that the body is given is no tie between
/// them. One at least.
std::int64_t separate_loops(const Computation& body);

}  // namespace podsim::sw
