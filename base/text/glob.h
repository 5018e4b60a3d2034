// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace podsim::base::text {

/// Returns whether `pattern` matches all of `text`. `*` matches any run of characters, including dots and the empty
/// run.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace podsim::base::text
