// SPDX-License-Identifier: Apache-2.0
#include "hlo/instruction_identity.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include <boost/container_hash/hash.hpp>

#include "hlo/literal.h"
#include "hlo/op_table.h"

namespace podsim::hlo {
namespace {

void hash_shape(std::size_t& seed, const Shape& shape) {
  boost::hash_combine(seed, int(shape.element_type));
  boost::hash_range(seed, shape.dimensions.begin(), shape.dimensions.end());
}

bool is_equal(const std::shared_ptr<const Literal>& a, const std::shared_ptr<const Literal>& b) {
  if (!a || !b) return a == b;
  // Compares bits: 0 and -0 are different constants, and a NaN equals itself.
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return a->elements.empty() && b->elements.empty() && std::ranges::equal(a->values, b->values, {}, bits, bits) &&
         a->integers == b->integers;
}

}  // namespace

std::size_t hash(const Instruction& instruction) {
  std::size_t seed = std::size_t(instruction.opcode);
  hash_shape(seed, instruction.shape);
  boost::hash_range(seed, instruction.operands.begin(), instruction.operands.end());
  boost::hash_range(seed, instruction.dimensions.begin(), instruction.dimensions.end());
  boost::hash_combine(seed, instruction.index);
  if (instruction.literal && !instruction.literal->values.empty()) {
    boost::hash_combine(seed, instruction.literal->values.front());
  }
  return seed;
}

namespace {

/// Whether two equal instructions may become one, and an unused one may be dropped.
constexpr OpTable<bool> shareable({
    of_elementwise<bool>({true}),
    of_collectives<bool>({true}),
    yes(true, Opcode::add_dependency, Opcode::after_all, Opcode::batch_norm_grad, Opcode::batch_norm_inference,
        Opcode::batch_norm_training, Opcode::bitcast, Opcode::bitcast_convert, Opcode::broadcast, Opcode::call,
        Opcode::cholesky, Opcode::concatenate, Opcode::conditional, Opcode::constant, Opcode::convolution,
        Opcode::domain, Opcode::dot, Opcode::dynamic_reshape, Opcode::dynamic_slice, Opcode::dynamic_update_slice,
        Opcode::fft, Opcode::fusion, Opcode::gather, Opcode::get_dimension_size, Opcode::get_tuple_element,
        Opcode::iota, Opcode::map, Opcode::opt_barrier, Opcode::pad, Opcode::partition_id, Opcode::ragged_dot,
        Opcode::reduce, Opcode::reduce_window, Opcode::replica_id, Opcode::reshape, Opcode::reverse,
        Opcode::rng_bit_generator, Opcode::scaled_dot, Opcode::scan, Opcode::scatter, Opcode::select_and_scatter,
        Opcode::set_dimension_size, Opcode::slice, Opcode::sort, Opcode::topk, Opcode::transpose,
        Opcode::triangular_solve, Opcode::tuple, Opcode::tuple_select, Opcode::while_loop),
    no<bool>("it is an argument", Opcode::parameter),
    no<bool>("it exchanges data with the host", Opcode::infeed, Opcode::outfeed),
    no<bool>("it exchanges data with another program", Opcode::send, Opcode::send_done, Opcode::recv,
             Opcode::recv_done),
    no<bool>("it draws random numbers", Opcode::rng, Opcode::rng_get_and_update_state),
    no<bool>("it does what only its implementation knows", Opcode::custom_call),
    no_of_text_forms<bool>(),
});

}  // namespace

const char* why_not_shareable(Opcode opcode) { return shareable.why_not(opcode); }

bool is_shareable(Opcode opcode) { return opcode != Opcode::unknown && bool(shareable[opcode]); }

bool is_equal(const Instruction& a, const Instruction& b) {
  return a.opcode == b.opcode && a.shape == b.shape && a.operands == b.operands && a.index == b.index &&
         a.dimensions == b.dimensions && a.window == b.window && a.convolution == b.convolution && a.dot == b.dot &&
         a.padding == b.padding && a.slice == b.slice && a.comparison == b.comparison && a.called == b.called &&
         a.total_order == b.total_order && a.slice_sizes == b.slice_sizes && a.gather == b.gather &&
         a.participants == b.participants && a.feature_groups == b.feature_groups && a.batch_groups == b.batch_groups &&
         a.exponent_bits == b.exponent_bits && a.mantissa_bits == b.mantissa_bits && a.is_stable == b.is_stable &&
         a.largest == b.largest && a.triangular == b.triangular && a.trip_count == b.trip_count &&
         a.epsilon == b.epsilon && a.target == b.target && a.operand_precision == b.operand_precision &&
         a.phase == b.phase && is_equal(a.literal, b.literal);
}

bool is_same_function(const Computation& a, const Computation& b) {
  return a.root == b.root && a.parameters == b.parameters &&
         std::ranges::equal(a.instructions, b.instructions,
                            [](const Instruction& x, const Instruction& y) { return is_equal(x, y); });
}

}  // namespace podsim::hlo
