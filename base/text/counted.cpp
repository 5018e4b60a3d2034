// SPDX-License-Identifier: Apache-2.0
#include "base/text/counted.h"

#include <fmt/format.h>

namespace podsim::base::text {

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace podsim::base::text
