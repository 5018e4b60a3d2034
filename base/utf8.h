// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace podsim::base {

/// The characters (code points) of a UTF-8 text, so that a column means the same to a person and to a caret; a byte
/// that belongs to no valid sequence counts as a character of its own.
std::vector<std::string_view> utf8_characters(std::string_view text);

}  // namespace podsim::base
