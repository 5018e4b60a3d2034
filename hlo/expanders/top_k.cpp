// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/top_k.h"

#include <optional>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/expanders/replace.h"

namespace podsim::hlo::expanders {
namespace {

using build::GraphBuilder;

/// (x, y, i, j) -> x before y.
ComputationId value_order(GraphBuilder& b, ElementType values, ElementType positions, ComparisonDirection direction) {
  GraphBuilder order("order_of_values");
  Instruction compare;
  compare.opcode = Opcode::compare;
  compare.operands = {order.parameter(make_shape(values, {}), "x"), order.parameter(make_shape(values, {}), "y")};
  order.parameter(make_shape(positions, {}), "i");
  order.parameter(make_shape(positions, {}), "j");
  compare.comparison = direction;
  compare.total_order = is_floating_point(values);
  const InstructionId root = order.add(std::move(compare));
  return b.computation(std::move(order), root);
}

std::optional<Module> expansion_of_top_k(const Computation& computation, InstructionId id) {
  const Instruction& top = computation[id];
  if (top.opcode != Opcode::topk || top.shape.tuple_shapes.size() != 2) return std::nullopt;
  GraphBuilder b("top_k");
  const InstructionId x = b.parameter(computation[top.operands[0]].shape, "x");
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const auto last = std::int64_t(sizes.size()) - 1;
  const ElementType positions = top.shape.tuple_shapes[1].element_type;
  Instruction sort;
  sort.opcode = Opcode::sort;
  sort.operands = {x, b.iota(make_shape(positions, sizes), last)};
  sort.dimensions = {last};
  sort.is_stable = true;
  sort.called = {value_order(b, b.type(x), positions, top.largest ? ComparisonDirection::gt : ComparisonDirection::lt)};
  const InstructionId sorted = b.add(std::move(sort));
  std::vector<InstructionId> results;
  for (std::int64_t i = 0; i < 2; ++i) {
    std::vector<SliceDimension> first;
    for (const std::int64_t size : sizes) first.push_back({0, size, 1});
    first.back().limit = top.shape.tuple_shapes[std::size_t(i)].dimensions.back();
    results.push_back(b.slice(b.get_tuple_element(sorted, i), std::move(first)));
  }
  const InstructionId root = b.tuple(std::move(results));
  return std::move(b).build(root);
}

}  // namespace

void expand_top_k(Module& module) { replace_instructions(module, expansion_of_top_k); }

}  // namespace podsim::hlo::expanders
