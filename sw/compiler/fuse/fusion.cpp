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

hlo::FusionKind kind_of(const FusionPlan::Group& group, const hlo::Computation& computation) {
  if (is_matmul_fusion(group)) return hlo::FusionKind::output;
  const bool updates_rows = computation[group.roots.front()].opcode == hlo::Opcode::scatter;
  return updates_rows ? hlo::FusionKind::custom : hlo::FusionKind::loop;
}

/// Appends one computation of a module, rewritten by its plan, and the bodies of its fusions to the new module.
class Fuser {
 public:
  /// `renumbered` has the new id of every computation of the old module that has been written so far.
  Fuser(const hlo::Computation& source, const std::vector<hlo::ComputationId>& renumbered, LoopOutputs outputs,
        hlo::Module& result)
      : source_(source),
        renumbered_(renumbered),
        result_(result),
        plan_(plan_fusion(source_, outputs)),
        position_(source_.instructions.size(), -1),
        in_body_(source_.instructions.size(), -1),
        marked_(source_.instructions.size(), 0) {
    entry_.instructions.reserve(source_.instructions.size());
  }

  hlo::ComputationId run() {
    entry_.name = source_.name;
    std::vector<bool> emitted(plan_.groups.size(), false);
    // A group is at the position of its last root, or before the first reader of one of its values.
    std::vector<hlo::InstructionId> last_root(plan_.groups.size());
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) last_root[g] = plan_.groups[g].roots.back();
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(source_.instructions.size()); ++id) {
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
  void emit_copy(hlo::InstructionId id) { position_[id] = append(copy(id)); }

  hlo::Instruction copy(hlo::InstructionId id) const {
    hlo::Instruction instruction = source_[id];
    for (hlo::ComputationId& called : instruction.called) called = renumbered_[called];
    return instruction;
  }

  hlo::InstructionId append(hlo::Instruction instruction) {
    entry_.instructions.push_back(std::move(instruction));
    return hlo::InstructionId(entry_.instructions.size()) - 1;
  }

  void emit_group(const FusionPlan::Group& group) {
    if (group.roots.size() == 1 && reads_only_stored(group.roots.front())) {
      emit_copy(group.roots.front());
      return;
    }
    hlo::ComputationId body = hlo::ComputationId(result_.computations.size());
    std::vector<hlo::InstructionId> inputs;
    result_.computations.push_back(make_body(group, inputs));
    hlo::InstructionId named_after = is_matmul_fusion(group) ? group.hero : group.roots.front();

    hlo::Instruction fusion;
    fusion.opcode = hlo::Opcode::fusion;
    fusion.name = "fusion." + std::to_string(body);
    fusion.op_name = source_[named_after].op_name;
    fusion.fusion_kind = kind_of(group, source_);
    fusion.called = {body};
    fusion.operands = inputs;  // ids of the source until finish() renames them
    std::vector<hlo::Shape> shapes;
    for (hlo::InstructionId root : group.roots) shapes.push_back(source_[root].shape);
    fusion.shape = shapes.size() == 1 ? shapes.front() : hlo::make_tuple_shape(shapes);
    hlo::InstructionId at = append(std::move(fusion));
    if (shapes.size() == 1) {
      position_[group.roots.front()] = at;
      return;
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) emit_element(at, group.roots[i], i);
  }

  void emit_element(hlo::InstructionId tuple, hlo::InstructionId root, std::size_t index) {
    hlo::Instruction element;
    element.opcode = hlo::Opcode::get_tuple_element;
    element.name = entry_[tuple].name + "." + std::to_string(index);
    element.shape = source_[root].shape;
    element.index = std::int64_t(index);
    element.op_name = source_[root].op_name;
    element.operands = {tuple};
    hlo::InstructionId at = append(std::move(element));
    renamed_.insert(at);
    position_[root] = at;
  }

  bool reads_only_stored(hlo::InstructionId id) const {
    return std::ranges::none_of(source_[id].operands, [&](hlo::InstructionId operand) {
      return plan_.inlined[operand] && plan_.takes_inlined(source_, id, operand);
    });
  }

  /// Makes the body: a parameter per stored input, then the inlined instructions and the roots in program order.
  hlo::Computation make_body(const FusionPlan::Group& group, std::vector<hlo::InstructionId>& inputs) {
    const std::vector<hlo::InstructionId> members = members_of(group);
    hlo::Computation body;
    body.name = "fused_computation." + std::to_string(result_.computations.size());
    const std::vector<hlo::InstructionId> read = read_by(members);
    body.instructions.reserve(read.size() + members.size() + 1);
    for (hlo::InstructionId input : read) {
      hlo::Instruction parameter;
      parameter.opcode = hlo::Opcode::parameter;
      parameter.name = "param_" + std::to_string(inputs.size());
      parameter.shape = source_[input].shape;
      parameter.index = std::int64_t(inputs.size());
      inputs.push_back(input);
      in_body_[input] = hlo::InstructionId(body.instructions.size());
      body.parameters.push_back(in_body_[input]);
      body.instructions.push_back(std::move(parameter));
    }
    for (hlo::InstructionId member : members) {
      hlo::Instruction inlined = copy(member);
      for (hlo::InstructionId& operand : inlined.operands) operand = in_body_[operand];
      in_body_[member] = hlo::InstructionId(body.instructions.size());
      body.instructions.push_back(std::move(inlined));
    }
    body.root = in_body_[group.roots.front()];
    if (group.roots.size() > 1) add_tuple_root(body, group);
    return body;
  }

  void add_tuple_root(hlo::Computation& body, const FusionPlan::Group& group) const {
    hlo::Instruction tuple;
    tuple.opcode = hlo::Opcode::tuple;
    tuple.name = "tuple";
    std::vector<hlo::Shape> shapes;
    for (hlo::InstructionId root : group.roots) {
      tuple.operands.push_back(in_body_[root]);
      shapes.push_back(source_[root].shape);
    }
    tuple.shape = hlo::make_tuple_shape(std::move(shapes));
    body.root = hlo::InstructionId(body.instructions.size());
    body.instructions.push_back(std::move(tuple));
  }

  /// The roots and all inlined instructions that they need, in ascending (topological) order.
  std::vector<hlo::InstructionId> members_of(const FusionPlan::Group& group) {
    std::vector<hlo::InstructionId> members;
    std::vector<hlo::InstructionId> open(group.roots);
    ++mark_;
    while (!open.empty()) {
      hlo::InstructionId id = open.back();
      open.pop_back();
      if (std::exchange(marked_[id], mark_) == mark_) continue;
      members.push_back(id);
      for (hlo::InstructionId operand : source_[id].operands) {
        if (plan_.inlined[operand] && plan_.takes_inlined(source_, id, operand)) open.push_back(operand);
      }
    }
    std::ranges::sort(members);
    return members;
  }

  /// Values outside the marked members that the members read, in ascending order.
  std::vector<hlo::InstructionId> read_by(const std::vector<hlo::InstructionId>& members) {
    std::vector<hlo::InstructionId> read;
    for (hlo::InstructionId member : members) {
      for (hlo::InstructionId operand : source_[member].operands) {
        if (std::exchange(marked_[operand], mark_) != mark_) read.push_back(operand);
      }
    }
    std::ranges::sort(read);
    return read;
  }

  hlo::ComputationId finish() {
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry_.instructions.size()); ++id) {
      if (renamed_.contains(id)) continue;  // its operands are instructions of the new entry already
      for (hlo::InstructionId& operand : entry_[id].operands) operand = position_[operand];
    }
    for (hlo::InstructionId parameter : source_.parameters) entry_.parameters.push_back(position_[parameter]);
    entry_.root = position_[source_.root];
    result_.computations.push_back(in_order_of_need(std::move(entry_)));
    return hlo::ComputationId(result_.computations.size()) - 1;
  }

  const hlo::Computation& source_;
  const std::vector<hlo::ComputationId>& renumbered_;
  hlo::Module& result_;
  FusionPlan plan_;
  hlo::Computation entry_;
  std::vector<hlo::InstructionId> position_;  ///< source id -> id in entry_
  std::set<hlo::InstructionId> renamed_;
  std::vector<hlo::InstructionId> in_body_;  ///< source id -> id in the body that is being made
  std::vector<int> marked_;                  ///< the number of the last mark
  int mark_ = 0;
};

}  // namespace

hlo::Module fuse(hlo::Module module, LoopOutputs outputs) {
  const std::vector<bool> executed = hlo::executed_computations(module);
  std::vector<hlo::ComputationId> renumbered;
  std::vector<hlo::Computation> sources = std::exchange(module.computations, {});
  for (hlo::ComputationId id = 0; id < hlo::ComputationId(sources.size()); ++id) {
    if (executed[id]) {
      renumbered.push_back(Fuser(sources[id], renumbered, outputs, module).run());
      continue;
    }
    hlo::Computation& same = module.computations.emplace_back(std::move(sources[id]));
    for (hlo::Instruction& instruction : same.instructions) {
      for (hlo::ComputationId& called : instruction.called) called = renumbered[called];
    }
    renumbered.push_back(hlo::ComputationId(module.computations.size()) - 1);
  }
  module.entry = renumbered[module.entry];
  return module;
}

}  // namespace podsim::sw::compiler::fuse
