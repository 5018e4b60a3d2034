// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace podsim::base::text {

/// The characters (code points) of a UTF-8 text, so that a column counts what a reader sees. A byte outside any valid
/// sequence counts as one character.
std::vector<std::string_view> utf8_characters(std::string_view text);

}  // namespace podsim::base::text
