// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/units.h"

namespace podsim::app::options {

/// The size in bytes that a text such as "64 MiB", or a number of bytes, names: 1 B to 1 TiB. Throws InputError at
/// `flag` if the text is malformed or out of range.
base::Bytes parse_bytes(std::string_view flag, const std::string& text);

}  // namespace podsim::app::options
