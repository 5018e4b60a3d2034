// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/rows/softmax_kernel.h"

#include <utility>

#include "hlo/build/graph_builder.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/families/array_allocator.h"
#include "sw/codegen/families/rows/resident_rows.h"
#include "sw/codegen/families/rows/streamed_rows.h"
#include "sw/codegen/families/vector_parameters.h"

namespace podsim::sw::codegen::families::rows {

using Op = hw::isa::Opcode;

namespace {

constexpr std::size_t maximum = 0, total = 1;

/// exp(x - row's maximum)
std::vector<registers::VectorReg> exponentials(RowCode& code) {
  builder::KernelBuilder& builder = code.builder();
  const registers::VectorReg most = code.statistic(maximum);
  std::vector<registers::VectorReg> values;
  for (const registers::VectorReg& x : code.row()) {
    values.push_back(builder.transcendental(Op::e_exp, builder.op(Op::v_sub_f32, x, most)));
  }
  return values;
}

void find_maximum(RowCode& code) { code.reduce(maximum, reduction_operator("max", 0), code.row()); }

void add_up(RowCode& code) { code.reduce(total, reduction_operator("sum", 0), exponentials(code)); }

void normalise(RowCode& code) {
  builder::KernelBuilder& builder = code.builder();
  const registers::VectorReg share = builder.transcendental(Op::e_recip, code.statistic(total));
  std::vector<registers::VectorReg> values = exponentials(code);
  for (registers::VectorReg& value : values) value = builder.op(Op::v_mul_f32, value, share);
  code.write(values);
}

hlo::Module softmax_reference(const hlo::Shape& shape) {
  hlo::build::GraphBuilder graph("softmax");
  const hlo::InstructionId x = graph.convert(graph.parameter(shape, "x"), hlo::ElementType::f32);
  const auto per_row = [&](hlo::InstructionId value) { return graph.broadcast(value, shape.dimensions, {0}); };
  const hlo::InstructionId decay = graph.exponential(graph.subtract(x, per_row(graph.reduce_max(x, {1}))));
  const hlo::InstructionId result = graph.divide(decay, per_row(graph.reduce_add(decay, {1})));
  return std::move(graph).build(graph.convert(result, shape.element_type));
}

Kernel build_softmax(const TargetMachine& machine, const KernelArguments& arguments) {
  const hlo::Shape shape = matrix_shape(arguments, element_type(arguments.choice("dtype")));
  Kernel kernel;
  kernel.name = kernel_name(softmax_family(), arguments);
  ArrayAllocator places(machine);
  const KernelArray& x = kernel.inputs.emplace_back(places.place("x", shape));
  const KernelArray& result = kernel.outputs.emplace_back(places.place("result", shape));
  kernel.reference = softmax_reference(shape);
  kernel.op = kernel.reference;
  // A row's sum adds lane tiles in order, then seven levels of lanes, of exponentials with an error of four steps.
  kernel.rounding_steps = double(base::divide_round_up(shape.dimensions[1], builder::register_lanes)) + 12;
  const RowKernel rows{{{x, {}, find_maximum}, {x, {}, add_up}, {x, result, normalise}}, 2, {}};
  if (arguments.choice("passes") == "1") {
    kernel.passes = "one pass: read once, rows held in VMEM, write once";
    build_resident_rows(machine, kernel, rows);
  } else {
    kernel.passes = "three passes: row maximum (read), row sum of exp(x - maximum) (read), normalise (read, write)";
    build_streamed_rows(machine, kernel, rows);
  }
  return kernel;
}

}  // namespace

KernelFamily softmax_family() {
  return {"softmax",
          "softmax over the columns of a matrix",
          {size_parameter("rows", "rows of the matrix", 1024), size_parameter("columns", "columns of the matrix", 1024),
           dtype_parameter(),
           choice_parameter("passes", "over HBM; 3: as the compiler divides it into ops, 1: rows held in VMEM",
                            {"3", "1"})},
          build_softmax};
}

}  // namespace podsim::sw::codegen::families::rows
