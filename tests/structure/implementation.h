// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::structure {

/// The header that the second line of a source names, "// Part of hlo/graph.h.", or "".
std::string part_of(const std::string& source);

/// The first function that a header declares and does not define, or "": one that needs a source. Functions that are
/// deleted, defaulted, or virtual without a body do not.
std::string declared_function(const std::string& header);

}  // namespace podsim::structure
