// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "hlo/graph.h"
#include "hw/isa/opcode.h"

namespace podsim::sw::codegen::families {

/// A reduction of many elements to one.
struct ReductionOperator {
  hw::isa::Opcode fold, over_lanes, over_sublanes;
  hlo::Opcode graph;
  float neutral;               ///< neutral element, which is also the result for no elements
  std::optional<float> scale;  ///< factor for the result
};

/// Returns the operator for "sum", "max", "min", or "mean" of `elements` elements.
inline ReductionOperator reduction_operator(const std::string& name, std::int64_t elements) {
  using Op = hw::isa::Opcode;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (name == "max") return {Op::v_max_f32, Op::x_max_lanes, Op::x_max_sublanes, hlo::Opcode::maximum, -infinity, {}};
  if (name == "min") return {Op::v_min_f32, Op::x_min_lanes, Op::x_min_sublanes, hlo::Opcode::minimum, infinity, {}};
  ReductionOperator sum{Op::v_add_f32, Op::x_sum_lanes, Op::x_sum_sublanes, hlo::Opcode::add, 0.0F, {}};
  if (name == "mean") sum.scale = float(1 / double(elements));
  return sum;
}

}  // namespace podsim::sw::codegen::families
