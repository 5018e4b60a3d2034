// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hlo/literal.h"

namespace podsim::hlo {

/// Prints the value as HLO text writes a constant: "1.5", "{1, 2}", "{ {1, 2}, {3, 4} }", "(true, {0, 1})". Every
/// number reads back unchanged.
std::string to_string(const Literal& literal);

}  // namespace podsim::hlo
