// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/operation.h"

#include <algorithm>

namespace podsim::hlo::stablehlo {

const std::string_view* find(const Attributes& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &NamedValue::name);
  return found == attributes.end() ? nullptr : &found->value;
}

}  // namespace podsim::hlo::stablehlo
