// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "hw/pod/pod_tree.h"

namespace podsim::report {

/// One line for each scope: its name below the one that contains it, what it is, its ports and its signals.
std::string pod_tree_text(const hw::pod::TreeNode& pod);
nlohmann::ordered_json pod_tree_json(const hw::pod::TreeNode& node);

}  // namespace podsim::report
