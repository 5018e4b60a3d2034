// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/matrix_epilogue.h"

#include "sw/codegen/builder/odometer.h"
#include "sw/codegen/builder/packed_tile.h"

namespace podsim::sw::codegen::builder {

using Op = hw::isa::Opcode;

namespace {

constexpr float gelu_scale = 0.7978845608028654F;  // sqrt(2 / pi)
constexpr float gelu_cube = 0.044715F * gelu_scale;

registers::VectorReg gelu(KernelBuilder& builder, registers::VectorReg x) {
  const registers::VectorReg square = builder.op(Op::v_mul_f32, x, x);
  const registers::VectorReg slope =
      builder.op(Op::v_add_f32, builder.op(Op::v_mul_f32, square, gelu_cube), gelu_scale);
  const registers::VectorReg t = builder.transcendental(Op::e_tanh, builder.op(Op::v_mul_f32, x, slope));
  const registers::VectorReg half = builder.op(Op::v_mul_f32, x, 0.5F);
  return builder.op(Op::v_add_f32, half, builder.op(Op::v_mul_f32, half, t));
}

registers::VectorReg activate(KernelBuilder& builder, Activation activation, registers::VectorReg x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return builder.op(Op::v_max_f32, x, 0.0F);
    case Activation::gelu:
      return gelu(builder, x);
  }
  return x;
}

hlo::InstructionId gelu(hlo::build::GraphBuilder& graph, hlo::InstructionId x) {
  const auto constant = [&](double value) { return graph.full_like(x, value); };
  const hlo::InstructionId square = graph.multiply(x, x);
  const hlo::InstructionId slope = graph.add(graph.multiply(square, constant(gelu_cube)), constant(gelu_scale));
  const hlo::InstructionId t = graph.tanh(graph.multiply(x, slope));
  const hlo::InstructionId half = graph.multiply(x, constant(0.5));
  return graph.add(half, graph.multiply(half, t));
}

}  // namespace

hw::VectorWork Epilogue::work() const {
  hw::VectorWork work{bias ? 2 : 1, 1, (bias ? 1 : 0) + (packed ? 1 : 0), 0};
  if (activation == Activation::relu) work.alu_ops += 1;
  if (activation == Activation::gelu) work.alu_ops += 8, work.transcendentals += 1;
  return work;
}

hlo::InstructionId Epilogue::reference(hlo::build::GraphBuilder& graph, hlo::InstructionId sums,
                                       std::optional<hlo::InstructionId> bias_row) const {
  hlo::InstructionId x = sums;
  if (bias_row) x = graph.add(x, graph.broadcast(*bias_row, graph.shape(x).dimensions, {graph.shape(x).rank() - 1}));
  if (activation == Activation::relu) x = graph.maximum(x, graph.full_like(x, 0));
  if (activation == Activation::gelu) x = gelu(graph, x);
  return packed ? graph.convert(x, hlo::ElementType::bf16) : x;
}

void write_epilogue(KernelBuilder& builder, const EpiloguePass& pass) {
  const bool packed = pass.epilogue.packed;
  // In place, sums and result share a base register. Then the scheduler sees that different rows do not overlap.
  const bool in_place = pass.sums.buffer == pass.result.buffer;
  const auto copy = [&](registers::ScalarReg x) { return builder.op(Op::s_add, x, 0); };
  const std::int32_t sum_tile = rows_of_tile(false), result_tile = rows_of_tile(packed);
  const std::int32_t sum_row = pass.row_tiles * sum_tile, result_row = pass.row_tiles * result_tile;
  const registers::ScalarReg sums = copy(pass.sums.base), result = in_place ? sums : copy(pass.result.base);
  std::vector<Odometer::Base> bases{{sums}};
  std::vector<OdometerDimension> dimensions{{pass.groups, {pass.group_rows * sum_row}}, {pass.lanes, {sum_tile}}};
  const auto add_base = [&](registers::ScalarReg base, std::int32_t group_step, std::int32_t lane_step) {
    bases.push_back({base});
    dimensions[0].steps.push_back(group_step);
    dimensions[1].steps.push_back(lane_step);
  };
  if (!in_place) add_base(result, pass.group_rows * result_row, result_tile);
  registers::ScalarReg bias_row;
  if (pass.epilogue.bias) add_base(bias_row = copy(pass.bias.base), 0, 1);
  const Odometer place(builder, dimensions, bases);
  builder.loop(place.trips(), {registers::LoopSchedule::pipelined, {pass.sums.buffer, pass.result.buffer}}, [&] {
    std::optional<registers::VectorReg> bias;
    if (pass.epilogue.bias) bias = builder.load({bias_row, 0, pass.bias.buffer, 0});
    for (int row = 0; row < pass.group_rows; ++row) {
      registers::VectorReg x = builder.load({sums, row * sum_row, pass.sums.buffer});
      if (bias) x = builder.op(Op::v_add_f32, x, *bias);
      x = activate(builder, pass.epilogue.activation, x);
      const auto store = [&] { store_tile(builder, {result, row * result_row, pass.result.buffer}, x, packed); };
      pass.stored ? builder.when(*pass.stored, false, store) : store();
    }
    place.advance();
  });
}

}  // namespace podsim::sw::codegen::builder
