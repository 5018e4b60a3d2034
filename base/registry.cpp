// SPDX-License-Identifier: Apache-2.0
#include "base/registry.h"

#include <fmt/format.h>

#include <stdexcept>

namespace podsim::base {

void check_registered_name(std::string_view name, const std::vector<std::string_view>& taken) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_other = [](char c) { return (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  const bool word = !name.empty() && is_letter(name.front()) &&
                    std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_other(c); });
  if (!word) {
    throw std::invalid_argument(
        fmt::format("'{}' is no name to register: lower-case letters, digits, '_' and '-', a letter first", name));
  }
  if (std::ranges::find(taken, name) != taken.end()) {
    throw std::invalid_argument(fmt::format("the name '{}' is taken", name));
  }
}

}  // namespace podsim::base
