// SPDX-License-Identifier: Apache-2.0
// Part of hlo/eval/evaluation.h.
#include <stdexcept>

#include "hlo/eval/bit_pattern.h"
#include "hlo/eval/complex/fourier.h"
#include "hlo/eval/contraction.h"
#include "hlo/eval/dynamic_slice.h"
#include "hlo/eval/elementwise.h"
#include "hlo/eval/evaluation.h"
#include "hlo/eval/gather.h"
#include "hlo/eval/linear_algebra.h"
#include "hlo/eval/random_values.h"
#include "hlo/eval/rearrangement.h"
#include "hlo/eval/reduction.h"
#include "hlo/eval/sorting.h"
#include "hlo/rules/batch_norm.h"

namespace podsim::hlo::eval {

/// The function on scalars that an instruction applies.
ScalarFunction Evaluation::ArrayCall::function(std::size_t i) const {
  const EvaluationRun& run = evaluation.run_;
  return ScalarFunction(run.module, run.module.computations[std::size_t(instruction.called[i])]);
}

namespace {

Literal dimension_size(const Instruction& instruction, const Literal& operand) {
  Literal size = make_zeros(instruction.shape);
  size.values[0] = double(operand.shape.dimensions[std::size_t(instruction.index)]);
  return size;
}

}  // namespace

/// Evaluators of arrays as rules, by what they take.
struct Evaluation::Arrays {
  template <auto evaluate>
  static Literal all(const ArrayCall& call) {
    return evaluate(call.instruction, call.operands);
  }
  template <auto evaluate>
  static Literal one(const ArrayCall& call) {
    return evaluate(call.instruction, *call.operands[0]);
  }
  template <auto evaluate>
  static Literal two(const ArrayCall& call) {
    return evaluate(call.instruction, *call.operands[0], *call.operands[1]);
  }
  /// All operands and the function on scalars.
  template <auto evaluate>
  static Literal applied(const ArrayCall& call) {
    return evaluate(call.instruction, call.operands, call.function(0));
  }

  static Literal bitcast(const ArrayCall& call) {
    const Shape& from = call.evaluation.computation_[call.instruction.operands[0]].shape;
    return evaluate_bitcast(call.instruction, *call.operands[0], from);
  }
  static Literal dot(const ArrayCall& call) {
    if (call.operands.size() > 2) throw std::logic_error("a sparse product cannot be evaluated");
    return evaluate_dot(call.instruction, *call.operands[0], *call.operands[1]);
  }
  static Literal ragged_dot(const ArrayCall& call) {
    return evaluate_ragged_dot(call.instruction, *call.operands[0], *call.operands[1], *call.operands[2]);
  }
  static Literal random(const ArrayCall& call) {
    return call.evaluation.random(call.instruction, call.operands, call.at);
  }
  static Literal select_and_scatter(const ArrayCall& call) {
    return evaluate_select_and_scatter(call.instruction, *call.operands[0], *call.operands[1], *call.operands[2],
                                       call.function(0), call.function(1));
  }
};

constexpr OpTable<Evaluation::ValueRule> Evaluation::value_rules({
    of_elementwise<ValueRule>({{.array = Arrays::all<evaluate_elementwise>}}, Opcode::copy),
    yes<ValueRule>({.array = Arrays::all<evaluate_rearrangement>}, Opcode::iota, Opcode::broadcast, Opcode::reshape,
                   Opcode::transpose, Opcode::reverse, Opcode::pad, Opcode::slice, Opcode::concatenate),
    yes<ValueRule>({.array = Arrays::all<evaluate_dynamic_slice>}, Opcode::dynamic_slice),
    yes<ValueRule>({.array = Arrays::all<evaluate_dynamic_update_slice>}, Opcode::dynamic_update_slice),
    yes<ValueRule>({.array = Arrays::bitcast}, Opcode::bitcast),
    yes<ValueRule>({.array = Arrays::one<evaluate_bitcast_convert>}, Opcode::bitcast_convert),
    yes<ValueRule>({.array = Arrays::two<evaluate_convolution>}, Opcode::convolution),
    yes<ValueRule>({.array = Arrays::dot}, Opcode::dot),
    yes<ValueRule>({.array = Arrays::ragged_dot}, Opcode::ragged_dot),
    yes<ValueRule>({.array = Arrays::two<evaluate_gather>}, Opcode::gather),
    yes<ValueRule>({.array = Arrays::one<complex::evaluate_fft>}, Opcode::fft),
    yes<ValueRule>({.array = Arrays::one<evaluate_topk>}, Opcode::topk),
    yes<ValueRule>({.array = Arrays::random}, Opcode::rng),
    yes<ValueRule>({.array = Arrays::one<evaluate_rng_bit_generator>}, Opcode::rng_bit_generator),
    yes<ValueRule>({.array = Arrays::one<evaluate_cholesky>}, Opcode::cholesky),
    yes<ValueRule>({.array = Arrays::two<evaluate_triangular_solve>}, Opcode::triangular_solve),
    yes<ValueRule>({.array = Arrays::all<rules::evaluate_batch_norm>}, Opcode::batch_norm_training,
                   Opcode::batch_norm_inference, Opcode::batch_norm_grad),
    yes<ValueRule>({.array = Arrays::one<dimension_size>}, Opcode::get_dimension_size),
    yes<ValueRule>({.array = Arrays::all<evaluate_dynamic_reshape>}, Opcode::dynamic_reshape),
    yes<ValueRule>({.array = Arrays::two<evaluate_set_dimension_size>}, Opcode::set_dimension_size),
    yes<ValueRule>({.array = Arrays::applied<evaluate_reduce>}, Opcode::reduce),
    yes<ValueRule>({.array = Arrays::applied<evaluate_reduce_window>}, Opcode::reduce_window),
    yes<ValueRule>({.array = Arrays::select_and_scatter}, Opcode::select_and_scatter),
    yes<ValueRule>({.array = Arrays::applied<evaluate_scatter>}, Opcode::scatter),
    yes<ValueRule>({.array = Arrays::applied<evaluate_sort>}, Opcode::sort),
    yes<ValueRule>({.array = Arrays::applied<evaluate_map>}, Opcode::map),
    of_collectives<ValueRule>({{.together = &Evaluation::collective}}),
    yes<ValueRule>({.together = &Evaluation::collective}, Opcode::send, Opcode::recv),
    yes<ValueRule>({.together = &Evaluation::call}, Opcode::fusion, Opcode::call),
    yes<ValueRule>({.together = &Evaluation::loop}, Opcode::while_loop),
    yes<ValueRule>({.together = &Evaluation::branch}, Opcode::conditional),
    yes<ValueRule>({.together = &Evaluation::custom_call}, Opcode::custom_call),
    yes<ValueRule>({}, Opcode::parameter),  // an argument
    yes<ValueRule>({.alone = &Evaluation::tuple}, Opcode::tuple),
    yes<ValueRule>({.alone = &Evaluation::element_of_tuple}, Opcode::get_tuple_element),
    yes<ValueRule>({.alone = &Evaluation::barrier}, Opcode::opt_barrier),
    yes<ValueRule>({.alone = &Evaluation::first_operand}, Opcode::copy, Opcode::domain, Opcode::add_dependency),
    yes<ValueRule>({.alone = &Evaluation::selected}, Opcode::tuple_select),
    yes<ValueRule>({.alone = &Evaluation::constant}, Opcode::constant),
    yes<ValueRule>({.alone = &Evaluation::new_token}, Opcode::after_all, Opcode::send_done),
    yes<ValueRule>({.alone = &Evaluation::feed_in}, Opcode::infeed),
    yes<ValueRule>({.alone = &Evaluation::feed_out}, Opcode::outfeed),
    yes<ValueRule>({.alone = &Evaluation::device_id}, Opcode::partition_id, Opcode::replica_id),
    yes<ValueRule>({.alone = &Evaluation::random_state}, Opcode::rng_get_and_update_state),
    yes<ValueRule>({.alone = &Evaluation::receive}, Opcode::recv_done),
    no<ValueRule>("it is not implemented", Opcode::scaled_dot, Opcode::scan),
    no_of_text_forms<ValueRule>(),
});

const char* Evaluation::why_no_value(Opcode opcode) { return value_rules.why_not(opcode); }

}  // namespace podsim::hlo::eval
