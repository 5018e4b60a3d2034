// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "hw/isa/opcode.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// How many elements become one.
struct ReductionOperator {
  hw::isa::Opcode fold, over_lanes, over_sublanes;
  Opcode graph;
  float neutral;               ///< what changes nothing, and the result of no elements
  std::optional<float> scale;  /// multiplies the result
};

/// "sum", "max", "min", or "mean" of `elements`.
inline ReductionOperator reduction_operator(const std::string& name, std::int64_t elements) {
  using Op = hw::isa::Opcode;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (name == "max") return {Op::v_max_f32, Op::x_max_lanes, Op::x_max_sublanes, Opcode::maximum, -infinity, {}};
  if (name == "min") return {Op::v_min_f32, Op::x_min_lanes, Op::x_min_sublanes, Opcode::minimum, infinity, {}};
  ReductionOperator sum{Op::v_add_f32, Op::x_sum_lanes, Op::x_sum_sublanes, Opcode::add, 0.0F, {}};
  if (name == "mean") sum.scale = float(1 / double(elements));
  return sum;
}

}  // namespace podsim::sw
