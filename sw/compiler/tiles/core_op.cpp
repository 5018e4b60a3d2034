// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/core_op.h"

#include <algorithm>
#include <cstdint>

#include "hlo/op_table.h"
#include "hlo/renaming.h"
#include "hlo/transform/flops.h"

namespace podsim::sw::compiler::tiles {

bool keeps_places(const hlo::Computation& computation, hlo::InstructionId id) {
  const hlo::Instruction& move = computation[id];
  if (move.opcode == hlo::Opcode::reshape) {
    return hlo::is_renaming(computation[move.operands.front()].shape, move.shape);
  }
  if (move.opcode != hlo::Opcode::transpose) return false;
  const hlo::Shape& operand = computation[move.operands.front()].shape;
  if (operand.memory_space != move.shape.memory_space || operand.tile != move.shape.tile) return false;
  for (int i = 0; i < operand.rank(); ++i) {
    if (move.dimensions[std::size_t(move.shape.minor_dimension(i))] != operand.minor_dimension(i)) return false;
  }
  return true;
}

bool is_core_op(const hlo::Computation& computation, hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation[id];
  const bool may_be_one = is_core_op(instruction) || instruction.opcode == hlo::Opcode::reshape;
  return may_be_one && hlo::logical_bytes(instruction.shape) > base::Bytes(0) && !keeps_places(computation, id);
}

namespace {

using hlo::Opcode;
/// How an op of the core is priced.
enum class Priced : std::uint8_t {
  by_units,  ///< by the work of units and the bytes that it moves
  by_bytes,  ///< by the bytes that it moves: its work is not modelled
};

constexpr hlo::OpTable<Priced> core_ops({
    hlo::of_elementwise<Priced>({Priced::by_units}),
    hlo::yes(Priced::by_units, Opcode::bitcast_convert, Opcode::broadcast, Opcode::concatenate, Opcode::convolution,
             Opcode::dot, Opcode::dynamic_slice, Opcode::dynamic_update_slice, Opcode::fusion, Opcode::gather,
             Opcode::iota, Opcode::pad, Opcode::reduce, Opcode::reduce_window, Opcode::reverse, Opcode::rng,
             Opcode::rng_bit_generator, Opcode::rng_get_and_update_state, Opcode::scatter, Opcode::select_and_scatter,
             Opcode::slice, Opcode::sort, Opcode::transpose, Opcode::tuple_select),
    hlo::yes(Priced::by_bytes, Opcode::batch_norm_grad, Opcode::batch_norm_inference, Opcode::batch_norm_training,
             Opcode::cholesky, Opcode::custom_call, Opcode::dynamic_reshape, Opcode::fft, Opcode::map,
             Opcode::ragged_dot, Opcode::scaled_dot, Opcode::scan, Opcode::topk, Opcode::triangular_solve),
    hlo::no<Priced>("it names values that exist", Opcode::add_dependency, Opcode::after_all, Opcode::bitcast,
                    Opcode::constant, Opcode::domain, Opcode::get_dimension_size, Opcode::get_tuple_element,
                    Opcode::opt_barrier, Opcode::parameter, Opcode::partition_id, Opcode::replica_id, Opcode::reshape,
                    Opcode::set_dimension_size, Opcode::tuple),
    hlo::no<Priced>("it is a transfer to or from the host or another program", Opcode::infeed, Opcode::outfeed,
                    Opcode::recv, Opcode::recv_done, Opcode::send, Opcode::send_done),
    hlo::no<Priced>("it runs the computations that it calls", Opcode::call, Opcode::conditional, Opcode::while_loop),
    hlo::of_collectives<Priced>({.why_not = "it is a collective, which links and cores carry out together"}),
    hlo::no_of_text_forms<Priced>(),
});

}  // namespace

bool is_core_op(const hlo::Instruction& instruction) {
  return instruction.opcode == Opcode::unknown || bool(core_ops[instruction.opcode]);
}

bool has_modelled_work(Opcode opcode) {
  return opcode != Opcode::unknown && core_ops[opcode] && core_ops[opcode].rule == Priced::by_units;
}

const char* why_no_core_op(Opcode opcode) { return core_ops.why_not(opcode); }

namespace {

std::string fusion_category(const hlo::Instruction& fusion, const hlo::Computation& body) {
  const auto holds = [&](auto matches) {
    return std::ranges::any_of(body.instructions, matches, &hlo::Instruction::opcode);
  };
  if (holds(hlo::transform::is_matmul)) return "convolution fusion";
  switch (fusion.fusion_kind) {
    case hlo::FusionKind::custom:
      if (holds([](hlo::Opcode opcode) { return opcode == hlo::Opcode::gather; })) return "gather fusion";
      if (holds([](hlo::Opcode opcode) { return opcode == hlo::Opcode::scatter; })) return "scatter fusion";
      return "custom fusion";
    case hlo::FusionKind::input:
      return "input fusion";
    case hlo::FusionKind::output:
      return "output fusion";
    case hlo::FusionKind::loop:
      return "loop fusion";
  }
  return "";
}

}  // namespace

std::string category_of(const hlo::Module& module, const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::fusion:
      if (instruction.phase == hlo::AsyncPhase::done) return "async-done";
      return fusion_category(instruction, module.computations[instruction.called.front()]);
    case hlo::Opcode::convolution:
    case hlo::Opcode::dot:
      return "convolution";
    case hlo::Opcode::copy:
    case hlo::Opcode::transpose:
    case hlo::Opcode::reshape:
    case hlo::Opcode::dynamic_reshape:
      return "data formatting";
    default:
      return hlo::is_elementwise(instruction.opcode) ? "non-fusion elementwise"
                                                     : std::string(hlo::to_string(instruction.opcode));
  }
}

}  // namespace podsim::sw::compiler::tiles
