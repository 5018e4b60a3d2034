// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/reduction_kernel.h"

#include <utility>

#include "hlo/build/graph_builder.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/families/array_allocator.h"
#include "sw/codegen/families/stream/constant_kernel.h"
#include "sw/codegen/families/stream/lane_reduction.h"
#include "sw/codegen/families/stream/sublane_reduction.h"
#include "sw/codegen/families/vector_parameters.h"

namespace podsim::sw::codegen::families::stream {

namespace {

hlo::Module reduction_reference(const std::string& op, const ReductionOperator& reduction, const hlo::Shape& shape,
                                std::int64_t axis) {
  hlo::build::GraphBuilder graph("reduce");
  const hlo::InstructionId x = graph.convert(graph.parameter(shape, "x"), hlo::ElementType::f32);
  const hlo::InstructionId initial = graph.constant(hlo::ElementType::f32, double(reduction.neutral));
  hlo::InstructionId result = graph.reduce(x, initial, {axis}, graph.combiner(reduction.graph, hlo::ElementType::f32));
  if (op == "mean") result = graph.divide(result, graph.full_like(result, double(shape.dimensions[std::size_t(axis)])));
  return std::move(graph).build(result);
}

/// Returns the rounding steps of a reduction. In a sum, an element is part of at most `additions` additions. A scale
/// adds a rounding of the product, and is itself rounded. Maxima and minima are exact.
double rounding_steps(const ReductionOperator& reduction, std::int64_t additions) {
  if (reduction.graph != hlo::Opcode::add) return 0;
  return double(additions) + (reduction.scale ? 3 : 1);
}

Kernel build_reduction(const TargetMachine& machine, const KernelArguments& arguments) {
  const hlo::Shape shape = matrix_shape(arguments, element_type(arguments.choice("dtype")));
  const bool over_columns = arguments.choice("over") == "columns";
  const std::int64_t axis = over_columns ? 1 : 0;
  const std::int64_t elements = shape.dimensions[std::size_t(axis)];
  const std::string& op = arguments.choice("op");
  const ReductionOperator reduction = reduction_operator(op, elements);
  Kernel kernel;
  kernel.name = kernel_name(reduction_family(), arguments);
  ArrayAllocator places(machine);
  kernel.inputs.push_back(places.place("x", shape));
  kernel.outputs.push_back(
      places.place("result", hlo::make_shape(hlo::ElementType::f32, {shape.dimensions[std::size_t(1 - axis)]})));
  kernel.reference = reduction_reference(op, reduction, shape, axis);
  kernel.op = kernel.reference;
  kernel.passes = "one pass: read once";
  if (shape.element_count() == 0) {
    build_constant(machine, kernel, reduction.neutral * reduction.scale.value_or(1));
  } else if (over_columns) {
    kernel.rounding_steps = rounding_steps(reduction, base::divide_round_up(elements, builder::register_lanes) + 7);
    build_lane_reduction(machine, kernel, reduction);
  } else {
    kernel.rounding_steps = rounding_steps(reduction, base::divide_round_up(elements, builder::register_rows) + 3);
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
          build_reduction};
}

}  // namespace podsim::sw::codegen::families::stream
