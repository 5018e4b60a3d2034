// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::report::run {

/// With four digits and the prefix that keeps them: "403 J", "19.71 mJ", "1.204 kJ".
std::string joules_text(double joules);

}  // namespace podsim::report::run
