// SPDX-License-Identifier: Apache-2.0
#include "hw/energy/part_values.h"

#include <algorithm>

namespace podsim::hw::energy {

double sum(const PartValues& values) {
  double all = 0;
  for (const PartValue& value : values) all += value.value;
  return all;
}

double of(const PartValues& values, std::string_view part) {
  const auto found = std::ranges::find(values, part, &PartValue::part);
  return found == values.end() ? 0 : found->value;
}

void add(const PartValues& more, double factor, PartValues& values) {
  for (const PartValue& value : more) {
    const auto found = std::ranges::find(values, value.part, &PartValue::part);
    if (found == values.end()) {
      values.push_back({value.part, factor * value.value});
    } else {
      found->value += factor * value.value;
    }
  }
}

}  // namespace podsim::hw::energy
