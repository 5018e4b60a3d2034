// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/fusion.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sw/compiler/fuse/fusion_plan.h"
#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler::fuse {
namespace {

bool is_matmul_fusion(const FusionPlan::Group& group) { return group.hero >= 0; }

ir::FusionKind kind_of(const FusionPlan::Group& group, const ir::Computation& computation) {
  if (is_matmul_fusion(group)) return ir::FusionKind::output;
  const bool updates_rows = computation[group.roots.front()].opcode == ir::Opcode::scatter;
  return updates_rows ? ir::FusionKind::custom : ir::FusionKind::loop;
}

/// Appends one computation of a module, rewritten by its plan, and the bodies of its fusions to the new module.
class Fuser {
 public:
  /// `renumbered` has the new id of every computation of the old module that has been written so far.
  Fuser(const ir::Computation& source, const std::vector<ir::ComputationId>& renumbered, ir::Module& result)
      : source_(source),
        renumbered_(renumbered),
        result_(result),
        plan_(plan_fusion(source_)),
        position_(source_.instructions.size(), -1),
        in_body_(source_.instructions.size(), -1),
        marked_(source_.instructions.size(), 0) {
    entry_.instructions.reserve(source_.instructions.size());
  }

  ir::ComputationId run() {
    entry_.name = source_.name;
    std::vector<bool> emitted(plan_.groups.size(), false);
    // A group is at the position of its last root, or before the first reader of one of its values.
    std::vector<ir::InstructionId> last_root(plan_.groups.size());
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) last_root[g] = plan_.groups[g].roots.back();
    for (ir::InstructionId id = 0; id < ir::InstructionId(source_.instructions.size()); ++id) {
      int group = plan_.group_of[id];
      if (group >= 0) {
        if (last_root[group] == id) emit_group(plan_.groups[group]);
      } else if (!plan_.inlined[id]) {
        emit_copy(id);
      }
    }
    return finish();
  }

 private:
  void emit_copy(ir::InstructionId id) { position_[id] = append(copy(id)); }

  ir::Instruction copy(ir::InstructionId id) const {
    ir::Instruction instruction = source_[id];
    for (ir::ComputationId& called : instruction.called) called = renumbered_[called];
    return instruction;
  }

  ir::InstructionId append(ir::Instruction instruction) {
    entry_.instructions.push_back(std::move(instruction));
    return ir::InstructionId(entry_.instructions.size()) - 1;
  }

  void emit_group(const FusionPlan::Group& group) {
    if (group.roots.size() == 1 && reads_only_stored(group.roots.front())) {
      emit_copy(group.roots.front());
      return;
    }
    ir::ComputationId body = ir::ComputationId(result_.computations.size());
    std::vector<ir::InstructionId> inputs;
    result_.computations.push_back(make_body(group, inputs));
    ir::InstructionId named_after = is_matmul_fusion(group) ? group.hero : group.roots.front();

    ir::Instruction fusion;
    fusion.opcode = ir::Opcode::fusion;
    fusion.name = "fusion." + std::to_string(body);
    fusion.op_name = source_[named_after].op_name;
    fusion.fusion_kind = kind_of(group, source_);
    fusion.called = {body};
    fusion.operands = inputs;  // ids of the source until finish() renames them
    std::vector<ir::Shape> shapes;
    for (ir::InstructionId root : group.roots) shapes.push_back(source_[root].shape);
    fusion.shape = shapes.size() == 1 ? shapes.front() : ir::make_tuple_shape(shapes);
    ir::InstructionId at = append(std::move(fusion));
    if (shapes.size() == 1) {
      position_[group.roots.front()] = at;
      return;
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) emit_element(at, group.roots[i], i);
  }

  void emit_element(ir::InstructionId tuple, ir::InstructionId root, std::size_t index) {
    ir::Instruction element;
    element.opcode = ir::Opcode::get_tuple_element;
    element.name = entry_[tuple].name + "." + std::to_string(index);
    element.shape = source_[root].shape;
    element.index = std::int64_t(index);
    element.op_name = source_[root].op_name;
    element.operands = {tuple};
    ir::InstructionId at = append(std::move(element));
    renamed_.insert(at);
    position_[root] = at;
  }

  bool reads_only_stored(ir::InstructionId id) const {
    return std::ranges::none_of(source_[id].operands, [&](ir::InstructionId operand) {
      return plan_.inlined[operand] && plan_.takes_inlined(source_, id, operand);
    });
  }

  /// Makes the body: a parameter per stored input, then the inlined instructions and the roots in program order.
  ir::Computation make_body(const FusionPlan::Group& group, std::vector<ir::InstructionId>& inputs) {
    const std::vector<ir::InstructionId> members = members_of(group);
    ir::Computation body;
    body.name = "fused_computation." + std::to_string(result_.computations.size());
    const std::vector<ir::InstructionId> read = read_by(members);
    body.instructions.reserve(read.size() + members.size() + 1);
    for (ir::InstructionId input : read) {
      ir::Instruction parameter;
      parameter.opcode = ir::Opcode::parameter;
      parameter.name = "param_" + std::to_string(inputs.size());
      parameter.shape = source_[input].shape;
      parameter.index = std::int64_t(inputs.size());
      inputs.push_back(input);
      in_body_[input] = ir::InstructionId(body.instructions.size());
      body.parameters.push_back(in_body_[input]);
      body.instructions.push_back(std::move(parameter));
    }
    for (ir::InstructionId member : members) {
      ir::Instruction inlined = copy(member);
      for (ir::InstructionId& operand : inlined.operands) operand = in_body_[operand];
      in_body_[member] = ir::InstructionId(body.instructions.size());
      body.instructions.push_back(std::move(inlined));
    }
    body.root = in_body_[group.roots.front()];
    if (group.roots.size() > 1) add_tuple_root(body, group);
    return body;
  }

  void add_tuple_root(ir::Computation& body, const FusionPlan::Group& group) const {
    ir::Instruction tuple;
    tuple.opcode = ir::Opcode::tuple;
    tuple.name = "tuple";
    std::vector<ir::Shape> shapes;
    for (ir::InstructionId root : group.roots) {
      tuple.operands.push_back(in_body_[root]);
      shapes.push_back(source_[root].shape);
    }
    tuple.shape = ir::make_tuple_shape(std::move(shapes));
    body.root = ir::InstructionId(body.instructions.size());
    body.instructions.push_back(std::move(tuple));
  }

  /// The roots and all inlined instructions that they need, in ascending (topological) order.
  std::vector<ir::InstructionId> members_of(const FusionPlan::Group& group) {
    std::vector<ir::InstructionId> members;
    std::vector<ir::InstructionId> open(group.roots);
    ++mark_;
    while (!open.empty()) {
      ir::InstructionId id = open.back();
      open.pop_back();
      if (std::exchange(marked_[id], mark_) == mark_) continue;
      members.push_back(id);
      for (ir::InstructionId operand : source_[id].operands) {
        if (plan_.inlined[operand] && plan_.takes_inlined(source_, id, operand)) open.push_back(operand);
      }
    }
    std::ranges::sort(members);
    return members;
  }

  /// Values outside the marked members that the members read, in ascending order.
  std::vector<ir::InstructionId> read_by(const std::vector<ir::InstructionId>& members) {
    std::vector<ir::InstructionId> read;
    for (ir::InstructionId member : members) {
      for (ir::InstructionId operand : source_[member].operands) {
        if (std::exchange(marked_[operand], mark_) != mark_) read.push_back(operand);
      }
    }
    std::ranges::sort(read);
    return read;
  }

  ir::ComputationId finish() {
    for (ir::InstructionId id = 0; id < ir::InstructionId(entry_.instructions.size()); ++id) {
      if (renamed_.contains(id)) continue;  // its operands are instructions of the new entry already
      for (ir::InstructionId& operand : entry_[id].operands) operand = position_[operand];
    }
    for (ir::InstructionId parameter : source_.parameters) entry_.parameters.push_back(position_[parameter]);
    entry_.root = position_[source_.root];
    result_.computations.push_back(in_order_of_need(std::move(entry_)));
    return ir::ComputationId(result_.computations.size()) - 1;
  }

  const ir::Computation& source_;
  const std::vector<ir::ComputationId>& renumbered_;
  ir::Module& result_;
  FusionPlan plan_;
  ir::Computation entry_;
  std::vector<ir::InstructionId> position_;  ///< source id -> id in entry_
  std::set<ir::InstructionId> renamed_;
  std::vector<ir::InstructionId> in_body_;  ///< source id -> id in the body that is being made
  std::vector<int> marked_;                 ///< the number of the last mark
  int mark_ = 0;
};

}  // namespace

ir::Module fuse(ir::Module module) {
  const std::vector<bool> executed = ir::executed_computations(module);
  std::vector<ir::ComputationId> renumbered;
  std::vector<ir::Computation> sources = std::exchange(module.computations, {});
  for (ir::ComputationId id = 0; id < ir::ComputationId(sources.size()); ++id) {
    if (executed[id]) {
      renumbered.push_back(Fuser(sources[id], renumbered, module).run());
      continue;
    }
    ir::Computation& same = module.computations.emplace_back(std::move(sources[id]));
    for (ir::Instruction& instruction : same.instructions) {
      for (ir::ComputationId& called : instruction.called) called = renumbered[called];
    }
    renumbered.push_back(ir::ComputationId(module.computations.size()) - 1);
  }
  module.entry = renumbered[module.entry];
  return module;
}

}  // namespace podsim::sw::compiler::fuse
