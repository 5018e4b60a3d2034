// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace podsim::base::text {

/// Returns whether `pattern` matches all of `text`. `*` matches any run of characters, including dots and the empty
/// run.
bool glob_match(std::string_view pattern, std::string_view text);

/// "layer*/ffn/w_in" for "layer12/ffn/w_in": a name with `*` for each number in it.
std::string glob_of_numbered(std::string_view name);

}  // namespace podsim::base::text
