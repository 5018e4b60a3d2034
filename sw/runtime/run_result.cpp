// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/run_result.h"

#include <array>

namespace podsim::sw::runtime {

std::string Bound::name() const {
  std::string of_unit;
  hw::CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    if (*this == unit<Unit>()) of_unit = Unit::names.bound == nullptr ? Unit::names.title : Unit::names.bound;
  });
  if (!of_unit.empty()) return of_unit;
  constexpr std::array names{"HBM", "ICI", "other cores", "host", "latency", "on-chip memory"};
  return names[std::size_t(number_ - hbm.number_)];
}

}  // namespace podsim::sw::runtime
