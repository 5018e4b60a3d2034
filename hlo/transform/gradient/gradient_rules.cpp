// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/gradient_rules.h"

#include "hlo/transform/gradient/batch_norm_gradient.h"
#include "hlo/transform/gradient/collective_gradient.h"
#include "hlo/transform/gradient/contraction_gradient.h"
#include "hlo/transform/gradient/control_gradient.h"
#include "hlo/transform/gradient/elementwise_gradient.h"
#include "hlo/transform/gradient/indexed_gradient.h"
#include "hlo/transform/gradient/linear_algebra_gradient.h"
#include "hlo/transform/gradient/loop_gradient.h"
#include "hlo/transform/gradient/movement_gradient.h"
#include "hlo/transform/gradient/reduction_gradient.h"
#include "hlo/transform/gradient/sort_gradient.h"

namespace podsim::hlo::transform::gradient {

namespace {

constexpr const char* counts_bits = "it counts bits";
constexpr const char* works_on_bits = "it works on bits";
constexpr const char* has_data_size = "the size of its result depends on data";
constexpr const char* is_random = "it draws random numbers";
constexpr const char* is_input = "it has no operand with a value";
constexpr const char* has_no_value = "its result has no value";
constexpr const char* is_elsewhere = "its value is sent to or from another program";

constexpr OpTable<Rule*> rules({
    yes(of::abs, Opcode::abs),
    yes(of::acos, Opcode::acos),
    yes(of::acosh, Opcode::acosh),
    yes(of::add, Opcode::add),
    yes(of::add_dependency, Opcode::add_dependency),
    yes(of::all_gather, Opcode::all_gather),
    yes(of::all_reduce, Opcode::all_reduce),
    yes(of::all_to_all, Opcode::all_to_all),
    yes(of::asin, Opcode::asin),
    yes(of::asinh, Opcode::asinh),
    yes(of::atan2, Opcode::atan2),
    yes(of::atanh, Opcode::atanh),
    yes(of::batch_norm_grad, Opcode::batch_norm_grad),
    yes(of::batch_norm_inference, Opcode::batch_norm_inference),
    yes(of::batch_norm_training, Opcode::batch_norm_training),
    yes(of::broadcast, Opcode::broadcast),
    yes(of::call, Opcode::call, Opcode::fusion),
    yes(of::cbrt, Opcode::cbrt),
    yes(of::cholesky, Opcode::cholesky),
    yes(of::clamp, Opcode::clamp),
    yes(of::collective_permute, Opcode::collective_permute),
    yes(of::complex, Opcode::complex),
    yes(of::concatenate, Opcode::concatenate),
    yes(of::conditional, Opcode::conditional),
    yes(of::convert, Opcode::convert),
    yes(of::convolution, Opcode::convolution),
    yes(of::copy, Opcode::copy, Opcode::domain),
    yes(of::cosh, Opcode::cosh),
    yes(of::cosine, Opcode::cosine),
    yes(of::custom_call, Opcode::custom_call),
    yes(of::divide, Opcode::divide),
    yes(of::dot, Opcode::dot),
    yes(of::dynamic_slice, Opcode::dynamic_slice),
    yes(of::dynamic_update_slice, Opcode::dynamic_update_slice),
    yes(of::erf, Opcode::erf),
    yes(of::exponential, Opcode::exponential),
    yes(of::exponential_minus_one, Opcode::exponential_minus_one),
    yes(of::fft, Opcode::fft),
    yes(of::flat, Opcode::ceil, Opcode::compare, Opcode::floor, Opcode::is_finite, Opcode::round_nearest_afz,
        Opcode::round_nearest_even),
    yes(of::gather, Opcode::gather),
    yes(of::get_tuple_element, Opcode::get_tuple_element),
    yes(of::imag, Opcode::imag),
    yes(of::log, Opcode::log),
    yes(of::log_plus_one, Opcode::log_plus_one),
    yes(of::logistic, Opcode::logistic),
    yes(of::map, Opcode::map),
    yes(of::maximum, Opcode::maximum),
    yes(of::minimum, Opcode::minimum),
    yes(of::multiply, Opcode::multiply),
    yes(of::negate, Opcode::negate),
    yes(of::pad, Opcode::pad),
    yes(of::power, Opcode::power),
    yes(of::ragged_dot, Opcode::ragged_dot),
    yes(of::real, Opcode::real),
    yes(of::reduce, Opcode::reduce),
    yes(of::reduce_precision, Opcode::reduce_precision),
    yes(of::reduce_scatter, Opcode::reduce_scatter),
    yes(of::reduce_window, Opcode::reduce_window),
    yes(of::remainder, Opcode::remainder),
    yes(of::reshape, Opcode::reshape),
    yes(of::reverse, Opcode::reverse),
    yes(of::rsqrt, Opcode::rsqrt),
    yes(of::scatter, Opcode::scatter),
    yes(of::select, Opcode::select),
    yes(of::select_and_scatter, Opcode::select_and_scatter),
    yes(of::sign, Opcode::sign),
    yes(of::sine, Opcode::sine),
    yes(of::sinh, Opcode::sinh),
    yes(of::slice, Opcode::slice),
    yes(of::sort, Opcode::sort),
    yes(of::sqrt, Opcode::sqrt),
    yes(of::stochastic_convert, Opcode::stochastic_convert),
    yes(of::subtract, Opcode::subtract),
    yes(of::tan, Opcode::tan),
    yes(of::tanh, Opcode::tanh),
    yes(of::topk, Opcode::topk),
    yes(of::transpose, Opcode::transpose),
    yes(of::triangular_solve, Opcode::triangular_solve),
    yes(of::tuple, Opcode::tuple, Opcode::opt_barrier),
    yes(of::tuple_select, Opcode::tuple_select),
    yes(of::while_loop, Opcode::while_loop),
    no<Rule*>(asynchronous.data(), Opcode::all_gather_done, Opcode::all_gather_start, Opcode::all_reduce_done,
              Opcode::all_reduce_start, Opcode::async_done, Opcode::async_start, Opcode::async_update,
              Opcode::collective_permute_done, Opcode::collective_permute_start, Opcode::copy_done, Opcode::copy_start),
    no<Rule*>(counts_bits, Opcode::count_leading_zeros, Opcode::popcnt),
    no<Rule*>(works_on_bits, Opcode::bitcast_convert, Opcode::logical_and, Opcode::logical_not, Opcode::logical_or,
              Opcode::logical_xor, Opcode::shift_left, Opcode::shift_right_arithmetic, Opcode::shift_right_logical),
    no<Rule*>("it reads memory by a layout; differentiate a program before it has layouts", Opcode::bitcast),
    no<Rule*>("the sum of its gradients is one device's alone", Opcode::collective_broadcast),
    no<Rule*>(has_data_size, Opcode::dynamic_reshape, Opcode::ragged_all_to_all, Opcode::set_dimension_size),
    no<Rule*>("a size does not change with values", Opcode::get_dimension_size),
    no<Rule*>("its operands are quantised", Opcode::scaled_dot),
    no<Rule*>("its steps are not written as a loop", Opcode::scan),
    no<Rule*>(is_random, Opcode::rng, Opcode::rng_bit_generator, Opcode::rng_get_and_update_state),
    no<Rule*>(is_input, Opcode::constant, Opcode::infeed, Opcode::iota, Opcode::parameter, Opcode::partition_id,
              Opcode::replica_id),
    no<Rule*>(has_no_value, Opcode::after_all, Opcode::outfeed, Opcode::send_done),
    no<Rule*>(is_elsewhere, Opcode::recv, Opcode::recv_done, Opcode::send),
});

}  // namespace

const OpAnswer<Rule*>& gradient_answer(Opcode opcode) { return rules[opcode]; }

}  // namespace podsim::hlo::transform::gradient
