// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace podsim::base::host {

/// True if the bytes begin like a gzip file.
bool is_gzip(std::string_view bytes);

/// What a gzip file holds, all its members one after another. Throws InputError if it is damaged, or holds more than
/// 4 GiB.
std::string decompressed(std::string_view bytes);

}  // namespace podsim::base::host
