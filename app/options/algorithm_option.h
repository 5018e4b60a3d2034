// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace podsim::app::options {

/// "auto" and all algorithms of collectives, in the order of sw::collectives::algorithms().
std::vector<std::string> algorithm_names();

/// What help adds to podsim's own algorithms: "\nregistered: mine"; empty if the program has registered none.
std::string registered_algorithms();

}  // namespace podsim::app::options
