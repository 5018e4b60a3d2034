// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/rows/layer_norm_kernel.h"

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

constexpr std::size_t sum_of_elements = 0, sum_of_squares = 1;
constexpr std::size_t gamma = 0, beta = 1;
/// Added to the variance.
constexpr float epsilon = 1e-5F;

/// The code of the passes, for rows with a given number of elements.
struct LayerNormCode {
  float share;  ///< 1 / elements

  std::vector<registers::VectorReg> centred(RowCode& code) const {
    builder::KernelBuilder& builder = code.builder();
    const registers::VectorReg mean = builder.op(Op::v_mul_f32, code.statistic(sum_of_elements), share);
    std::vector<registers::VectorReg> values = code.row();
    for (registers::VectorReg& value : values) value = builder.op(Op::v_sub_f32, value, mean);
    return values;
  }

  static void add_up(RowCode& code) { code.reduce(sum_of_elements, reduction_operator("sum", 0), code.row()); }

  static void add_up_squares(RowCode& code, std::vector<registers::VectorReg> values) {
    for (registers::VectorReg& value : values) value = code.builder().op(Op::v_mul_f32, value, value);
    code.reduce(sum_of_squares, reduction_operator("sum", 0), values);
  }

  void normalise(RowCode& code, std::vector<registers::VectorReg> values) const {
    builder::KernelBuilder& builder = code.builder();
    const registers::VectorReg variance = builder.op(Op::v_mul_f32, code.statistic(sum_of_squares), share);
    const registers::VectorReg slope =
        builder.transcendental(Op::e_rsqrt, builder.op(Op::v_add_f32, variance, epsilon));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const registers::VectorReg scaled =
          builder.op(Op::v_mul_f32, builder.op(Op::v_mul_f32, values[i], slope), code.parameter(gamma, i));
      values[i] = builder.op(Op::v_add_f32, scaled, code.parameter(beta, i));
    }
    code.write(values);
  }
};

/// The passes with the centred matrix in HBM.
std::vector<RowPass> four_passes(const LayerNormCode& c, const KernelArray& x, const KernelArray& centred,
                                 const KernelArray& result) {
  return {{x, {}, LayerNormCode::add_up},
          {x, centred, [c](RowCode& code) { code.write(c.centred(code)); }},
          {centred, {}, [](RowCode& code) { LayerNormCode::add_up_squares(code, code.row()); }},
          {centred, result, [c](RowCode& code) { c.normalise(code, code.row()); }}};
}

std::vector<RowPass> three_passes(const LayerNormCode& c, const KernelArray& x, const KernelArray& result) {
  return {{x, {}, LayerNormCode::add_up},
          {x, {}, [c](RowCode& code) { LayerNormCode::add_up_squares(code, c.centred(code)); }},
          {x, result, [c](RowCode& code) { c.normalise(code, c.centred(code)); }}};
}

hlo::Module layer_norm_reference(const hlo::Shape& shape) {
  hlo::build::GraphBuilder graph("layernorm");
  const hlo::Shape vector = hlo::make_shape(hlo::ElementType::f32, {shape.dimensions[1]});
  const hlo::InstructionId x = graph.convert(graph.parameter(shape, "x"), hlo::ElementType::f32);
  const auto per_column = [&](hlo::InstructionId value) { return graph.broadcast(value, shape.dimensions, {1}); };
  const hlo::InstructionId slope = per_column(graph.parameter(vector, "gamma"));
  const hlo::InstructionId offset = per_column(graph.parameter(vector, "beta"));
  const auto mean = [&](hlo::InstructionId value) {
    const hlo::InstructionId sum = graph.reduce_add(value, {1});
    return graph.divide(sum, graph.full_like(sum, double(shape.dimensions[1])));
  };
  const auto per_row = [&](hlo::InstructionId value) { return graph.broadcast(value, shape.dimensions, {0}); };
  const hlo::InstructionId centred = graph.subtract(x, per_row(mean(x)));
  const hlo::InstructionId variance = mean(graph.multiply(centred, centred));
  const hlo::InstructionId deviation = graph.rsqrt(graph.add(variance, graph.full_like(variance, double(epsilon))));
  const hlo::InstructionId normal = graph.multiply(centred, per_row(deviation));
  const hlo::InstructionId result = graph.add(graph.multiply(normal, slope), offset);
  return std::move(graph).build(graph.convert(result, shape.element_type));
}

Kernel build_layer_norm(const TargetMachine& machine, const KernelArguments& arguments) {
  const hlo::Shape shape = matrix_shape(arguments, element_type(arguments.choice("dtype")));
  const hlo::Shape vector = hlo::make_shape(hlo::ElementType::f32, {shape.dimensions[1]});
  Kernel kernel;
  kernel.name = kernel_name(layer_norm_family(), arguments);
  ArrayAllocator places(machine);
  kernel.inputs = {places.place("x", shape), places.place("gamma", vector), places.place("beta", vector)};
  kernel.outputs = {places.place("result", shape)};
  kernel.reference = layer_norm_reference(shape);
  kernel.op = kernel.reference;
  // A row's sum adds lane tiles in order, then seven levels of lanes. The mean rounds twice more.
  kernel.rounding_steps = double(base::divide_round_up(shape.dimensions[1], builder::register_lanes)) + 10;
  const LayerNormCode code{float(1 / double(shape.dimensions[1]))};
  const std::vector<KernelArray> parameters{kernel.inputs[1], kernel.inputs[2]};
  const KernelArray &x = kernel.inputs[0], &result = kernel.outputs[0];
  const std::string& passes = arguments.choice("passes");
  if (passes == "4") {
    kernel.passes =
        "four passes: row sum (read), centred (read, write), row sum of squares of the centred (read), normalise "
        "(read, "
        "write)";
    const KernelArray centred = places.place("centred", hlo::make_shape(hlo::ElementType::f32, shape.dimensions));
    build_streamed_rows(machine, kernel, {four_passes(code, x, centred, result), 2, parameters});
  } else if (passes == "3") {
    kernel.passes = "three passes: row sum (read), row sum of squares of the centred (read), normalise (read, write)";
    build_streamed_rows(machine, kernel, {three_passes(code, x, result), 2, parameters});
  } else {
    kernel.passes = "one pass: read once, rows held in VMEM, write once";
    build_resident_rows(machine, kernel, {three_passes(code, x, result), 2, parameters});
  }
  return kernel;
}

}  // namespace

KernelFamily layer_norm_family() {
  return {
      "layernorm",
      "layer normalisation over the columns of a matrix, with gamma and beta in f32",
      {size_parameter("rows", "rows of the matrix", 1024), size_parameter("columns", "columns of the matrix", 1024),
       dtype_parameter(),
       choice_parameter("passes",
                        "over HBM; 3: as the compiler divides it into ops; 4: the centred matrix stored in between; 1: "
                        "rows held in VMEM",
                        {"3", "4", "1"})},
      build_layer_norm};
}

}  // namespace podsim::sw::codegen::families::rows
