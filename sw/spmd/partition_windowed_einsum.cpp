// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "sw/spmd/einsum_loop.h"
#include "sw/spmd/factor_cut.h"
#include "sw/spmd/reshard.h"

namespace podsim::sw {

namespace {

using Kind = Factor::Kind;

/// One dot while it is written.
class WindowedEinsum {
 public:
  WindowedEinsum(LocalProgram& program, const OpToPartition& op)
      : program_(program),
        op_(op),
        instruction_(op.instruction()),
        rule_(op_rule(op.module, op.computation, op.id)),
        cuts_(choose_cuts(program.mesh(), rule_, op, factors_of_kind(rule_, {Kind::parallel, Kind::reduction}))) {}

  std::vector<LocalValue> write() {
    for (int k = 0; k < 2; ++k) {
      if (const std::optional<int> factor = gathered_factor(k)) return {gather(k, *factor)};
    }
    if (const std::optional<int> factor = scattered_factor()) return {scatter(*factor)};
    return {};
  }

 private:
  bool is_large(const Shape& shape, const AxisSharding& sharding) const {
    const Shape shard = local_shape(program_.mesh(), shape, sharding);
    return logical_bytes(shard).value() >= op_.options.windowed_einsum_bytes;
  }

  /// The one dimension along which `cut` is cut and `other` is whole, where they do not differ otherwise.
  static std::optional<int> dimension_made_whole(const AxisSharding& cut, const AxisSharding& other) {
    std::optional<int> found;
    for (std::size_t d = 0; d < cut.dimensions.size(); ++d) {
      if (cut.dimensions[d] == other.dimensions[d]) continue;
      if (found || !other.dimensions[d].empty()) return std::nullopt;
      found = int(d);
    }
    return found;
  }

  /// The factor along which operand k has to be gathered.
  std::optional<int> gathered_factor(int k) const {
    const auto at = std::size_t(k);
    const AxisSharding& sharding = op_.operands[at].sharding;
    const auto dimension = dimension_made_whole(sharding, sharding_under(rule_.operands[at], cuts_));
    if (!dimension || !is_large(op_.operands[at].shape, sharding)) return std::nullopt;
    return only_factor(rule_.operands[at], *dimension);
  }

  /// The factor of the result that is wanted along the sub-axes of which the products are addends.
  std::optional<int> scattered_factor() const {
    const auto dimension = dimension_made_whole(op_.wanted[0], sharding_under(rule_.results[0], cuts_));
    if (!dimension || !is_large(instruction_.shape, op_.wanted[0])) return std::nullopt;
    SubAxes wanted = op_.wanted[0].dimensions[std::size_t(*dimension)];
    std::ranges::sort(wanted);
    if (wanted != reduced_sub_axes(rule_, cuts_)) return std::nullopt;
    return only_factor(rule_.results[0], *dimension);
  }

  static std::optional<int> only_factor(const OpRule::Array& array, int dimension) {
    const std::vector<int>& factors = array[std::size_t(dimension)];
    return factors.size() == 1 ? std::optional(factors[0]) : std::nullopt;
  }

  static int dimension_of(const OpRule::Array& array, int factor) {
    const auto found = std::ranges::find(array, std::vector{factor});
    return found == array.end() ? -1 : int(found - array.begin());
  }

  EinsumRing ring(int factor, const SubAxes& sub_axes) const {
    return {sub_axes,
            rule_.factors[std::size_t(factor)].size,
            {dimension_of(rule_.operands[0], factor), dimension_of(rule_.operands[1], factor)},
            dimension_of(rule_.results[0], factor)};
  }

  /// Operand k under these cuts, nothing beyond what is summed.
  InstructionId operand(const FactorCuts& cuts, std::size_t k) {
    const LocalValue value = cut_operand(program_, cuts, rule_.operands[k], op_.operands[k]);
    const InstructionId zero = program_.builder().constant(value.shape.element_type, 0);
    return masked_for_reduction(program_, rule_, cuts, rule_.operands[k], value, zero).id;
  }

  LocalValue gather(int k, int factor) {
    const auto own = std::size_t(k), other = std::size_t(1 - k);
    const int dimension = dimension_of(rule_.operands[own], factor);
    FactorCuts with_part = cuts_;
    with_part[std::size_t(factor)] = op_.operands[own].sharding.dimensions[std::size_t(dimension)];
    std::array<InstructionId, 2> operands{};
    operands[own] = operand(with_part, own);
    operands[other] = operand(cuts_, other);
    LocalValue result = cut_result(rule_, cuts_, 0, -1, instruction_.shape);
    result.id =
        gather_while_multiplying(program_, attributes_of(instruction_), ring(factor, with_part[std::size_t(factor)]), k,
                                 operands, local_shape(program_.mesh(), result.shape, result.sharding));
    return result;
  }

  LocalValue scatter(int factor) {
    const std::array<InstructionId, 2> operands{operand(cuts_, 0), operand(cuts_, 1)};
    const int dimension = dimension_of(rule_.results[0], factor);
    LocalValue result{-1, instruction_.shape, op_.wanted[0], {}, Opcode::add};
    result.id = scatter_while_multiplying(program_, attributes_of(instruction_),
                                          ring(factor, op_.wanted[0].dimensions[std::size_t(dimension)]), operands);
    return result;
  }

  LocalProgram& program_;
  const OpToPartition& op_;
  const Instruction& instruction_;
  const OpRule rule_;
  const FactorCuts cuts_;
};

}  // namespace

std::vector<LocalValue> partition_windowed_einsum(LocalProgram& program, const OpToPartition& op) {
  if (!op.options.windowed_einsum || op.instruction().opcode != Opcode::dot || op.operands.size() != 2) return {};
  return WindowedEinsum(program, op).write();
}

}  // namespace podsim::sw
