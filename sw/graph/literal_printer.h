// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/graph/literal.h"

namespace podsim::sw {

/// The value as HLO text writes a constant: "1.5", "{1, 2}", "{ {1, 2}, {3, 4} }", "(true, {0, 1})". Every number reads
/// back as itself.
std::string to_string(const Literal& literal);

}  // namespace podsim::sw
