// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::base::text {

/// A word as a shell reads it, in single quotes if necessary.
std::string shell_word(const std::string& word);

}  // namespace podsim::base::text
