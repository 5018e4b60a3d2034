// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace podsim::base {

/// The SHA-256 digest of `data` (FIPS 180-4) as 64 hexadecimal digits: a name for contents, not a secret.
std::string sha256(std::string_view data);

}  // namespace podsim::base
