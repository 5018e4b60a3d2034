// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::report::compare {

/// "128 -> 256"; the value alone if both are the same.
inline std::string arrow(const std::string& a, const std::string& b) { return a == b ? a : a + " -> " + b; }

}  // namespace podsim::report::compare
