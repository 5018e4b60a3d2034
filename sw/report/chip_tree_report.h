// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "hw/chip/chip_tree.h"

namespace podsim::sw::report {

/// One line for each scope: its name below the one that contains it, what it is, its ports and its signals.
std::string chip_tree_text(const hw::chip::TreeNode& chip);
nlohmann::ordered_json chip_tree_json(const hw::chip::TreeNode& chip);

}  // namespace podsim::sw::report
