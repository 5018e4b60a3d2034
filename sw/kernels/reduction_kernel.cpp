// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/reduction_kernel.h"

#include <utility>

#include "sw/graph/graph_builder.h"
#include "sw/kernels/array_places.h"
#include "sw/kernels/constant_kernel.h"
#include "sw/kernels/lane_reduction.h"
#include "sw/kernels/sublane_reduction.h"
#include "sw/kernels/vector_parameters.h"

namespace podsim::sw {

namespace {

Module reference(const std::string& op, const ReductionOperator& reduction, const Shape& shape, std::int64_t axis) {
  GraphBuilder graph("reduce");
  const InstructionId x = graph.convert(graph.parameter(shape, "x"), ElementType::f32);
  const InstructionId initial = graph.constant(ElementType::f32, double(reduction.neutral));
  InstructionId result = graph.reduce(x, initial, {axis}, graph.combiner(reduction.graph, ElementType::f32));
  if (op == "mean") result = graph.divide(result, graph.full_like(result, double(shape.dimensions[std::size_t(axis)])));
  return std::move(graph).build(result);
}

/// Of sums: every element is added once per level below it. A scale rounds once more, and is itself rounded.
double rounding_steps(const ReductionOperator& reduction, std::int64_t additions) {
  if (reduction.graph != Opcode::add) return 0;
  return double(additions) + (reduction.scale ? 3 : 1);
}

Kernel build(const hw::Machine& machine, const KernelArguments& arguments) {
  const Shape shape = matrix_shape(arguments, element_type(arguments.choice("dtype")));
  const bool over_columns = arguments.choice("over") == "columns";
  const std::int64_t axis = over_columns ? 1 : 0;
  const std::int64_t elements = shape.dimensions[std::size_t(axis)];
  const std::string& op = arguments.choice("op");
  const ReductionOperator reduction = reduction_operator(op, elements);
  Kernel kernel;
  kernel.name = kernel_name(reduction_family(), arguments);
  ArrayPlaces places(machine);
  kernel.inputs.push_back(places.place("x", shape));
  kernel.outputs.push_back(
      places.place("result", make_shape(ElementType::f32, {shape.dimensions[std::size_t(1 - axis)]})));
  kernel.reference = reference(op, reduction, shape, axis);
  kernel.passes = "one pass: read once";
  if (shape.element_count() == 0) {
    build_constant(machine, kernel, reduction.neutral * reduction.scale.value_or(1));
  } else if (over_columns) {
    kernel.rounding_steps = rounding_steps(reduction, base::divide_round_up(elements, 128) + 7);
    build_lane_reduction(machine, kernel, reduction);
  } else {
    kernel.rounding_steps = rounding_steps(reduction, base::divide_round_up(elements, 8) + 3);
    build_sublane_reduction(machine, kernel, reduction);
  }
  return kernel;
}

}  // namespace

KernelFamily reduction_family() {
  return {"reduce",
          "a matrix reduced to a vector of f32",
          {choice_parameter("op", "how many elements become one", {"sum", "max", "min", "mean"}),
           choice_parameter("over", "columns: one result per row; rows: one per column", {"columns", "rows"}),
           size_parameter("rows", "rows of the matrix", 1024), size_parameter("columns", "columns of the matrix", 1024),
           dtype_parameter()},
          build};
}

}  // namespace podsim::sw
