// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/indexed_op.h.
#include <algorithm>
#include <memory>
#include <utility>

#include "hlo/literal.h"
#include "hlo/spmd/partition/indexed_op.h"
#include "hlo/spmd/propagate/combiner.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

/// True if windows of the updates have one element along `dimension` of the operand.
bool is_single(const hlo::GatherDimensions& roles, const hlo::Shape& updates, int dimension) {
  std::size_t window = 0;
  for (int d = 0; d <= dimension; ++d) {
    const auto dropped = [&](const std::vector<int>& list) { return std::ranges::find(list, d) != list.end(); };
    if (dropped(roles.collapsed) || dropped(roles.operand_batching)) {
      if (d == dimension) return true;
    } else if (d < dimension) {
      ++window;
    }
  }
  return updates.dimensions[std::size_t(roles.offset[window])] == 1;
}

/// Writes one scatter. If the updates are sharded, every partition combines its updates, one of them with the operand
/// and the others with the identity. If the operand is sharded, updates outside of the shard are dropped, as a scatter
/// drops those outside of its operand.
class ShardedScatter {
 public:
  ShardedScatter(reshard::LocalProgram& program, const partition::OpToPartition& op)
      : program_(program),
        op_(op),
        instruction_(op.instruction()),
        count_((op.operands.size() - 1) / 2),
        rule_(propagate::op_rule(op.module, op.computation, op.id)) {
    std::vector<bool> splittable = factors_of_kind(rule_, {Kind::parallel, Kind::reduction});
    const hlo::Shape& updates = op.operands[count_ + 1].shape;
    for (int d = 0; d < op.operands[0].shape.rank(); ++d) {
      const std::vector<int>& factors = rule_.operands[0][std::size_t(d)];
      if (factors.size() != 1 || rule_.factors[std::size_t(factors[0])].kind != Kind::special) continue;
      splittable[std::size_t(factors[0])] = is_single(instruction_.gather, updates, d);
    }
    split_ = choose_split(program.mesh(), rule_, op, splittable);
  }

  std::vector<reshard::LocalValue> write() {
    if (!is_split(rule_, split_, Kind::special) && !is_split(rule_, split_, Kind::reduction)) return {};
    build::GraphBuilder& b = program_.builder();
    hlo::Instruction local = attributes_of(instruction_);
    for (std::size_t k = 0; k < op_.operands.size(); ++k) {
      reshard::LocalValue value = sharded_operand(program_, split_, rule_.operands[k], op_.operands[k]);
      if (k < count_) {
        value.id = counted_once(value.id);
      } else if (k == count_) {
        value.id = local_indices(value.id);
      } else if (is_split(rule_, split_, Kind::reduction)) {
        value = masked_for_reduction(program_, rule_, split_, rule_.operands[k], value, identity(value.id));
      }
      local.operands.push_back(value.id);
    }
    local.called = {b.copy_computation(op_.module, instruction_.called[0])};
    const hlo::InstructionId result = b.add(std::move(local));
    std::vector<reshard::LocalValue> results;
    for (std::size_t k = 0; k < count_; ++k) {
      const hlo::InstructionId id = count_ == 1 ? result : b.get_tuple_element(result, std::int64_t(k));
      results.push_back(sharded_result(rule_, split_, k, id, op_.operands[k].shape, combiner()));
    }
    return results;
  }

 private:
  hlo::Opcode combiner() const {
    return propagate::simple_combiner(op_.module.computations[std::size_t(instruction_.called[0])])
        .value_or(hlo::Opcode::add);
  }
  hlo::InstructionId identity(hlo::InstructionId like) {
    return propagate::identity_of(program_.builder(), combiner(), program_.builder().type(like));
  }

  /// True for an array whose elements all are the combiner's identity: combining it repeatedly changes nothing.
  bool is_identity(hlo::InstructionId array) {
    build::GraphBuilder& b = program_.builder();
    if (b[array].opcode != hlo::Opcode::broadcast) return false;
    const std::shared_ptr<const hlo::Literal> scalar = b[b[array].operands[0]].literal;  // none unless a constant
    return scalar && hlo::same_values(*scalar, *b[identity(array)].literal);
  }

  hlo::InstructionId counted_once(hlo::InstructionId operand) {
    const mesh::SubAxes reduced = reduced_sub_axes(rule_, split_);
    build::GraphBuilder& b = program_.builder();
    if (reduced.empty() || is_identity(operand)) return operand;
    const std::vector<std::int64_t> sizes = b.shape(operand).dimensions;
    const hlo::InstructionId is_first =
        b.compare(program_.position(reduced), program_.s32(0), hlo::ComparisonDirection::eq);
    return b.select(b.broadcast(is_first, sizes), operand, b.broadcast(identity(operand), sizes));
  }

  hlo::InstructionId local_indices(hlo::InstructionId indices) {
    if (!is_split(rule_, split_, Kind::special)) return indices;
    build::GraphBuilder& b = program_.builder();
    const hlo::Shape& whole = op_.operands[0].shape;
    const mesh::AxisSharding sharding = sharding_under(rule_.operands[0], split_);
    std::vector<hlo::InstructionId> offsets;
    for (const int d : instruction_.gather->index_map) {
      const bool is_moved = !split_along(rule_, split_, rule_.operands[0], d, Kind::special).empty();
      offsets.push_back(is_moved ? program_.offset(whole, sharding, d) : program_.s32(0));
    }
    const hlo::InstructionId places = signed_indices(b, indices);
    return b.subtract(places, index_vector(program_, instruction_.gather, places, offsets));
  }

  reshard::LocalProgram& program_;
  const partition::OpToPartition& op_;
  const hlo::Instruction& instruction_;
  std::size_t count_;  ///< number of operands, which is that of updates
  propagate::OpRule rule_;
  FactorSplit split_;
};

}  // namespace

std::vector<reshard::LocalValue> partition_scatter(reshard::LocalProgram& program, const partition::OpToPartition& op) {
  return ShardedScatter(program, op).write();
}

}  // namespace podsim::hlo::spmd::partition
