// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/sort_gradient.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace podsim::hlo::transform::gradient {

namespace {

using Ids = std::vector<InstructionId>;

/// The comparator with two more parameters, which it does not read.
ComputationId comparator_with_positions(build::GraphBuilder& b, const Instruction& sort) {
  Module holder;
  holder.computations = b.called_computations();
  Computation& less = holder.computations[std::size_t(sort.called[0])];
  less.name += "_with_positions";
  for (int i = 0; i < 2; ++i) {
    Instruction parameter;
    parameter.index = std::int64_t(less.parameters.size());
    parameter.name = fmt::format("position.{}", less.instructions.size());
    parameter.shape = make_shape(ElementType::s32, {});
    less.parameters.push_back(InstructionId(less.instructions.size()));
    less.instructions.push_back(std::move(parameter));
  }
  return b.copy_computation(holder, sort.called[0]);
}

/// The operands' elements along the dimension, by the position in the result.
InstructionId sorted_positions(Backward& s) {
  build::GraphBuilder& b = s.b;
  Instruction again = s.forward;
  again.name.clear();
  again.op_name.clear();
  again.sharding.reset();
  const Shape positions = make_shape(ElementType::s32, b.shape(s.x(0)).dimensions);
  again.operands.push_back(b.iota(positions, s.forward.dimensions[0]));
  again.called = {comparator_with_positions(b, s.forward)};
  return b.get_tuple_element(b.add(std::move(again)), std::int64_t(s.forward.operands.size()));
}

/// Position is less than position; the other operands' parameters are not read.
ComputationId position_comparator(build::GraphBuilder& b, const Ids& carried) {
  std::string name = "less_position";
  for (const InstructionId id : carried) name += "_" + to_string(b.type(id));
  build::GraphBuilder less(name);
  const InstructionId first = less.parameter(make_shape(ElementType::s32, {}), "first");
  const InstructionId second = less.parameter(make_shape(ElementType::s32, {}), "second");
  for (std::size_t k = 0; k < carried.size(); ++k) {
    for (const char* which : {"x", "y"}) {
      less.parameter(make_shape(b.type(carried[k]), {}), fmt::format("{}{}", which, k));
    }
  }
  const InstructionId is_less = less.compare(first, second, ComparisonDirection::lt);
  return b.computation(std::move(less), is_less);
}

}  // namespace

namespace of {

void sort(Backward& s) {
  build::GraphBuilder& b = s.b;
  std::vector<std::size_t> moved;
  Ids carried;
  for (std::size_t k = 0; k < s.forward.operands.size(); ++k) {
    if (s.slopes[k] < 0 || !s.wants(k)) continue;
    moved.push_back(k);
    carried.push_back(s.slopes[k]);
  }
  if (moved.empty()) return;
  Instruction back;
  back.opcode = Opcode::sort;
  back.dimensions = s.forward.dimensions;
  back.operands = {sorted_positions(s)};
  back.operands.insert(back.operands.end(), carried.begin(), carried.end());
  back.called = {position_comparator(b, carried)};
  const InstructionId returned = b.add(std::move(back));
  for (std::size_t i = 0; i < moved.size(); ++i) {
    s.give(moved[i], b.get_tuple_element(returned, std::int64_t(i) + 1));
  }
}

void topk(Backward& s) {
  if (s.slopes[0] < 0) return;
  build::GraphBuilder& b = s.b;
  const InstructionId indices = b.get_tuple_element(s.y, 1);
  std::vector<std::int64_t> sizes = b.shape(indices).dimensions;
  const int last = int(sizes.size()) - 1;
  sizes.push_back(1);
  GatherDimensions rows;
  rows.collapsed = {last};
  rows.index_map = {last};
  rows.index_vector = last + 1;
  for (int i = 0; i < last; ++i) {
    rows.operand_batching.push_back(i);
    rows.indices_batching.push_back(i);
  }
  const InstructionId zeros = b.full_like(s.x(0), 0), g = s.typed(s.slopes[0], 0);
  s.give(0, b.scatter(zeros, b.reshape(indices, std::move(sizes)), g, rows, b.combiner(Opcode::add, b.type(g))));
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
