// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "sw/spmd/combiner.h"
#include "sw/spmd/indexed_op.h"

namespace podsim::sw {

namespace {

using Kind = Factor::Kind;

/// Whether windows of the updates have one element along dimension d of the operand.
bool is_single(const GatherDimensions& roles, const Shape& updates, int dimension) {
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

/// One scatter while it is written. Of updates that are cut, every partition adds those that it has, to the operand on
/// one of them and to nothing on the others. Of an operand that is cut, updates outside of the shard are dropped, as
/// those outside of an operand are.
class CutScatter {
 public:
  CutScatter(LocalProgram& program, const OpToPartition& op)
      : program_(program),
        op_(op),
        instruction_(op.instruction()),
        count_((op.operands.size() - 1) / 2),
        rule_(op_rule(op.module, op.computation, op.id)) {
    std::vector<bool> cuttable = factors_of_kind(rule_, {Kind::parallel, Kind::reduction});
    const Shape& updates = op.operands[count_ + 1].shape;
    for (int d = 0; d < op.operands[0].shape.rank(); ++d) {
      const std::vector<int>& factors = rule_.operands[0][std::size_t(d)];
      if (factors.size() != 1 || rule_.factors[std::size_t(factors[0])].kind != Kind::special) continue;
      cuttable[std::size_t(factors[0])] = is_single(instruction_.gather, updates, d);
    }
    cuts_ = choose_cuts(program.mesh(), rule_, op, cuttable);
  }

  std::vector<LocalValue> write() {
    if (!is_cut(rule_, cuts_, Kind::special) && !is_cut(rule_, cuts_, Kind::reduction)) return {};
    GraphBuilder& b = program_.builder();
    Instruction local = attributes_of(instruction_);
    for (std::size_t k = 0; k < op_.operands.size(); ++k) {
      LocalValue value = cut_operand(program_, cuts_, rule_.operands[k], op_.operands[k]);
      if (k < count_) {
        value.id = counted_once(value.id);
      } else if (k == count_) {
        value.id = local_indices(value.id);
      } else if (is_cut(rule_, cuts_, Kind::reduction)) {
        value = masked_for_reduction(program_, rule_, cuts_, rule_.operands[k], value, identity(value.id));
      }
      local.operands.push_back(value.id);
    }
    local.called = {b.copy_computation(op_.module, instruction_.called[0])};
    const InstructionId result = b.add(std::move(local));
    std::vector<LocalValue> results;
    for (std::size_t k = 0; k < count_; ++k) {
      const InstructionId id = count_ == 1 ? result : b.get_tuple_element(result, std::int64_t(k));
      results.push_back(cut_result(rule_, cuts_, k, id, op_.operands[k].shape, combiner()));
    }
    return results;
  }

 private:
  Opcode combiner() const {
    return simple_combiner(op_.module.computations[std::size_t(instruction_.called[0])]).value_or(Opcode::add);
  }
  InstructionId identity(InstructionId like) {
    return identity_of(program_.builder(), combiner(), program_.builder().type(like));
  }

  InstructionId counted_once(InstructionId operand) {
    const SubAxes reduced = reduced_sub_axes(rule_, cuts_);
    if (reduced.empty()) return operand;
    GraphBuilder& b = program_.builder();
    const std::vector<std::int64_t> sizes = b.shape(operand).dimensions;
    const InstructionId is_first = b.compare(program_.position(reduced), program_.s32(0), ComparisonDirection::eq);
    return b.select(b.broadcast(is_first, sizes), operand, b.broadcast(identity(operand), sizes));
  }

  InstructionId local_indices(InstructionId indices) {
    if (!is_cut(rule_, cuts_, Kind::special)) return indices;
    GraphBuilder& b = program_.builder();
    const Shape& whole = op_.operands[0].shape;
    const AxisSharding sharding = sharding_under(rule_.operands[0], cuts_);
    std::vector<InstructionId> offsets;
    for (const int d : instruction_.gather.index_map) {
      const bool is_moved = !cut_along(rule_, cuts_, rule_.operands[0], d, Kind::special).empty();
      offsets.push_back(is_moved ? program_.offset(whole, sharding, d) : program_.s32(0));
    }
    const InstructionId places = signed_indices(b, indices);
    return b.subtract(places, index_vector(program_, instruction_.gather, places, offsets));
  }

  LocalProgram& program_;
  const OpToPartition& op_;
  const Instruction& instruction_;
  std::size_t count_;  ///< operands, and updates
  OpRule rule_;
  FactorCuts cuts_;
};

}  // namespace

std::vector<LocalValue> partition_scatter(LocalProgram& program, const OpToPartition& op) {
  return CutScatter(program, op).write();
}

}  // namespace podsim::sw
