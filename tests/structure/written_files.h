// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace podsim::structure {

/// Names in a source text, comments apart, with which files are opened for writing: "ofstream", "O_CREAT".
std::vector<std::string_view> file_writers(std::string_view text);

}  // namespace podsim::structure
