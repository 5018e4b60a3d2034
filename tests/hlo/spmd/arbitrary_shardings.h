// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hlo/spmd/mesh/axis_sharding.h"

/// Meshes and shardings for property tests; they draw from rapidcheck, inside of a property.
namespace podsim::hlo::spmd::testing {

/// Up to three axes, 2 to `most` partitions.
inline mesh::Mesh arbitrary_mesh(std::int64_t most) {
  const std::int64_t x = *rc::gen::inRange<std::int64_t>(2, most + 1);
  const std::int64_t y = *rc::gen::inRange<std::int64_t>(1, most / x + 1);
  const std::int64_t z = *rc::gen::inRange<std::int64_t>(1, most / (x * y) + 1);
  return mesh::Mesh({{"x", x}, {"y", y}, {"z", z}});
}

/// Assigns some of `sub_axes`, in any order, to the dimensions; the others remain in `rest`.
inline mesh::AxisSharding arbitrary_sharding(mesh::SubAxes sub_axes, int rank, mesh::SubAxes* rest = nullptr) {
  mesh::AxisSharding sharding = mesh::replicated(rank);
  while (!sub_axes.empty()) {
    const auto next = sub_axes.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ptrdiff_t(sub_axes.size()));
    const auto place = std::size_t(*rc::gen::inRange(0, rank + 1));
    if (place < std::size_t(rank)) {
      sharding.dimensions[place].push_back(*next);
    } else if (rest != nullptr) {
      rest->push_back(*next);
    }
    sub_axes.erase(next);
  }
  return sharding;
}

}  // namespace podsim::hlo::spmd::testing
