// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/spmd/mesh/mesh.h"
#include "hlo/spmd/propagate/classed_program.h"

/// Ways to divide a program over cores, by the classes of its dimensions.
namespace podsim::sw::plans {

/// Axes of a mesh that divide a dimension: bit i stands for axis i.
using AxisSet = std::uint8_t;

/// The axes of the mesh that divide each class of dimensions (classed_program.h), in arrays that a step keeps (weights,
/// slot variables and their gradients) and in all others. Where two dimensions of an array have one class, the first is
/// divided.
struct ShardingPlan {
  std::vector<std::int64_t> axes;  ///< sizes, the slowest first
  std::vector<AxisSet> values;     ///< by class
  std::vector<AxisSet> kept;       ///< by class
  bool operator==(const ShardingPlan&) const = default;
  auto operator<=>(const ShardingPlan&) const = default;

  hlo::spmd::mesh::Mesh mesh() const;  ///< axes a, b, c
  std::int64_t size(AxisSet set) const;
};

inline constexpr std::size_t most_axes = 3;

/// The axes along which a plan divides every dimension of an array.
std::vector<AxisSet> divided(const ShardingPlan& plan, const hlo::spmd::propagate::ClassedArray& array);

/// The plan in one word: "16x8:1.2.0.1/0.0.1.2", sizes of axes, then sets by class of values and of what is kept.
std::string to_string(const ShardingPlan& plan);

}  // namespace podsim::sw::plans
