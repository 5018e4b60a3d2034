// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace podsim::hw::energy {

/// A number for each part of a chip: mm2, watts or joules.
struct PartValue {
  std::string part;  ///< "mxu", "vmem", "hbm", a declared level, "wires", "other"
  double value = 0;
};
using PartValues = std::vector<PartValue>;

double sum(const PartValues& values);
/// That of a part; 0 if there is none.
double of(const PartValues& values, std::string_view part);
/// Adds `factor` times `more`; parts that are new come last.
void add(const PartValues& more, double factor, PartValues& values);

}  // namespace podsim::hw::energy
