// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace podsim::structure {

/// The names that a source keeps to itself, from its unnamed namespaces and its `using` declarations, each with its
/// meaning: what a `using` stands for, or "" for a type, function or constant. Macros and operators are not names.
std::map<std::string, std::string> own_names(const std::string& source);

}  // namespace podsim::structure
