// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace podsim::base::text {

/// "1 operand", "2 operands".
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace podsim::base::text
