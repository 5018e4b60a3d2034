// SPDX-License-Identifier: Apache-2.0
#include "report/run/joules_text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace podsim::report::run {

std::string joules_text(double joules) {
  constexpr std::array prefixes{std::pair(1e9, "GJ"),  std::pair(1e6, "MJ"),  std::pair(1e3, "kJ"), std::pair(1.0, "J"),
                                std::pair(1e-3, "mJ"), std::pair(1e-6, "uJ"), std::pair(1e-9, "nJ")};
  for (const auto& [factor, name] : prefixes) {
    if (joules >= factor) return fmt::format("{:.4g} {}", joules / factor, name);
  }
  return fmt::format("{:.4g} pJ", joules * 1e12);
}

}  // namespace podsim::report::run
