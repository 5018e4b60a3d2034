// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/op_partition.h.
#include <algorithm>
#include <optional>
#include <utility>

#include "hlo/spmd/partition/einsum_loop.h"
#include "hlo/spmd/partition/factor_split.h"
#include "hlo/spmd/reshard/reshard.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

/// Writes one dot.
class WindowedEinsum {
 public:
  WindowedEinsum(reshard::LocalProgram& program, const partition::OpToPartition& op)
      : program_(program),
        op_(op),
        instruction_(op.instruction()),
        rule_(propagate::op_rule(op.module, op.computation, op.id)),
        split_(choose_split(program.mesh(), rule_, op, factors_of_kind(rule_, {Kind::parallel, Kind::reduction}))) {}

  std::vector<reshard::LocalValue> write() {
    for (int k = 0; k < 2; ++k) {
      if (const std::optional<int> factor = gathered_factor(k)) return {gather(k, *factor)};
    }
    if (const std::optional<int> factor = scattered_factor()) return {scatter(*factor)};
    return {};
  }

 private:
  bool is_large(const hlo::Shape& shape, const mesh::AxisSharding& sharding) const {
    const hlo::Shape shard = mesh::local_shape(program_.mesh(), shape, sharding);
    return hlo::logical_bytes(shard).value() >= op_.options.windowed_einsum_bytes;
  }

  /// The dimension that is split in `split` and whole in `other`; nullopt if the two differ in anything else.
  static std::optional<int> dimension_made_whole(const mesh::AxisSharding& split, const mesh::AxisSharding& other) {
    std::optional<int> found;
    for (std::size_t d = 0; d < split.dimensions.size(); ++d) {
      if (split.dimensions[d] == other.dimensions[d]) continue;
      if (found || !other.dimensions[d].empty()) return std::nullopt;
      found = int(d);
    }
    return found;
  }

  /// The factor along which operand `k` has to be gathered.
  std::optional<int> gathered_factor(int k) const {
    const auto at = std::size_t(k);
    const mesh::AxisSharding& sharding = op_.operands[at].sharding;
    const auto dimension = dimension_made_whole(sharding, sharding_under(rule_.operands[at], split_));
    if (!dimension || !is_large(op_.operands[at].shape, sharding)) return std::nullopt;
    return only_factor(rule_.operands[at], *dimension);
  }

  /// The factor of the result that should be split over the sub-axes along which the products are addends.
  std::optional<int> scattered_factor() const {
    const auto dimension = dimension_made_whole(op_.wanted[0], sharding_under(rule_.results[0], split_));
    if (!dimension || !is_large(instruction_.shape, op_.wanted[0])) return std::nullopt;
    mesh::SubAxes wanted = op_.wanted[0].dimensions[std::size_t(*dimension)];
    std::ranges::sort(wanted);
    if (wanted != reduced_sub_axes(rule_, split_)) return std::nullopt;
    return only_factor(rule_.results[0], *dimension);
  }

  static std::optional<int> only_factor(const propagate::OpRule::Array& array, int dimension) {
    const std::vector<int>& factors = array[std::size_t(dimension)];
    return factors.size() == 1 ? std::optional(factors[0]) : std::nullopt;
  }

  static int dimension_of(const propagate::OpRule::Array& array, int factor) {
    const auto found = std::ranges::find(array, std::vector{factor});
    return found == array.end() ? -1 : int(found - array.begin());
  }

  EinsumRing ring(int factor, const mesh::SubAxes& sub_axes) const {
    return {sub_axes,
            rule_.factors[std::size_t(factor)].size,
            {dimension_of(rule_.operands[0], factor), dimension_of(rule_.operands[1], factor)},
            dimension_of(rule_.results[0], factor)};
  }

  /// Operand `k` under this split, with zeros beyond the end of summed dimensions.
  hlo::InstructionId operand(const FactorSplit& split, std::size_t k) {
    const reshard::LocalValue value = sharded_operand(program_, split, rule_.operands[k], op_.operands[k]);
    const hlo::InstructionId zero = program_.builder().constant(value.shape.element_type, 0);
    return masked_for_reduction(program_, rule_, split, rule_.operands[k], value, zero).id;
  }

  reshard::LocalValue gather(int k, int factor) {
    const auto own = std::size_t(k), other = std::size_t(1 - k);
    const int dimension = dimension_of(rule_.operands[own], factor);
    FactorSplit with_part = split_;
    with_part[std::size_t(factor)] = op_.operands[own].sharding.dimensions[std::size_t(dimension)];
    std::array<hlo::InstructionId, 2> operands{};
    operands[own] = operand(with_part, own);
    operands[other] = operand(split_, other);
    reshard::LocalValue result = sharded_result(rule_, split_, 0, -1, instruction_.shape);
    result.id =
        gather_while_multiplying(program_, attributes_of(instruction_), ring(factor, with_part[std::size_t(factor)]), k,
                                 operands, mesh::local_shape(program_.mesh(), result.shape, result.sharding));
    return result;
  }

  reshard::LocalValue scatter(int factor) {
    const std::array<hlo::InstructionId, 2> operands{operand(split_, 0), operand(split_, 1)};
    const int dimension = dimension_of(rule_.results[0], factor);
    reshard::LocalValue result{-1, instruction_.shape, op_.wanted[0], {}, hlo::Opcode::add};
    result.id = scatter_while_multiplying(program_, attributes_of(instruction_),
                                          ring(factor, op_.wanted[0].dimensions[std::size_t(dimension)]), operands);
    return result;
  }

  reshard::LocalProgram& program_;
  const partition::OpToPartition& op_;
  const hlo::Instruction& instruction_;
  const propagate::OpRule rule_;
  const FactorSplit split_;
};

}  // namespace

std::vector<reshard::LocalValue> partition_windowed_einsum(reshard::LocalProgram& program,
                                                           const partition::OpToPartition& op) {
  if (!op.options.windowed_einsum || op.instruction().opcode != hlo::Opcode::dot || op.operands.size() != 2) return {};
  return WindowedEinsum(program, op).write();
}

}  // namespace podsim::hlo::spmd::partition
