// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fusion.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sw/compiler/fusion_plan.h"
#include "sw/compiler/rebuild.h"

namespace podsim::sw {
namespace {

bool is_matmul_fusion(const FusionPlan::Group& group) { return group.hero >= 0; }

/// Writes the bodies and the new form of one computation of a plan to the end of a module.
class Fuser {
 public:
  /// `renumbered` has the result's number of each computation of the source's module that has one by now.
  Fuser(const Computation& source, const std::vector<ComputationId>& renumbered, Module& result)
      : source_(source),
        renumbered_(renumbered),
        result_(result),
        plan_(plan_fusion(source_)),
        position_(source_.instructions.size(), -1),
        in_body_(source_.instructions.size(), -1),
        marked_(source_.instructions.size(), 0) {
    entry_.instructions.reserve(source_.instructions.size());
  }

  ComputationId run() {
    entry_.name = source_.name;
    std::vector<bool> emitted(plan_.groups.size(), false);
    // A group stands where its last root stood; where one of its values is read before, it moves up to there.
    std::vector<InstructionId> last_root(plan_.groups.size());
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) last_root[g] = plan_.groups[g].roots.back();
    for (InstructionId id = 0; id < InstructionId(source_.instructions.size()); ++id) {
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
  void emit_copy(InstructionId id) { position_[id] = append(copy(id)); }

  Instruction copy(InstructionId id) const {
    Instruction instruction = source_[id];
    for (ComputationId& called : instruction.called) called = renumbered_[called];
    return instruction;
  }

  InstructionId append(Instruction instruction) {
    entry_.instructions.push_back(std::move(instruction));
    return InstructionId(entry_.instructions.size()) - 1;
  }

  void emit_group(const FusionPlan::Group& group) {
    if (group.roots.size() == 1 && reads_only_stored(group.roots.front())) {
      emit_copy(group.roots.front());
      return;
    }
    ComputationId body = ComputationId(result_.computations.size());
    std::vector<InstructionId> inputs;
    result_.computations.push_back(make_body(group, inputs));
    InstructionId named_after = is_matmul_fusion(group) ? group.hero : group.roots.front();

    Instruction fusion;
    fusion.opcode = Opcode::fusion;
    fusion.name = "fusion." + std::to_string(body);
    fusion.op_name = source_[named_after].op_name;
    fusion.fusion_kind = is_matmul_fusion(group) ? FusionKind::output : FusionKind::loop;
    fusion.called = {body};
    fusion.operands = inputs;  // still ids of the source; finish() renames them
    std::vector<Shape> shapes;
    for (InstructionId root : group.roots) shapes.push_back(source_[root].shape);
    fusion.shape = shapes.size() == 1 ? shapes.front() : make_tuple_shape(shapes);
    InstructionId at = append(std::move(fusion));
    if (shapes.size() == 1) {
      position_[group.roots.front()] = at;
      return;
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) emit_element(at, group.roots[i], i);
  }

  void emit_element(InstructionId tuple, InstructionId root, std::size_t index) {
    Instruction element;
    element.opcode = Opcode::get_tuple_element;
    element.name = entry_[tuple].name + "." + std::to_string(index);
    element.shape = source_[root].shape;
    element.index = std::int64_t(index);
    element.op_name = source_[root].op_name;
    element.operands = {tuple};
    InstructionId at = append(std::move(element));
    renamed_.insert(at);
    position_[root] = at;
  }

  bool reads_only_stored(InstructionId id) const {
    if (!takes_inlined_operands(source_[id])) return true;
    return std::ranges::none_of(source_[id].operands, [&](InstructionId operand) { return plan_.inlined[operand]; });
  }

  /// The body: a parameter per stored input, then the inlined instructions and the roots in program order.
  Computation make_body(const FusionPlan::Group& group, std::vector<InstructionId>& inputs) {
    const std::vector<InstructionId> members = members_of(group);
    Computation body;
    body.name = "fused_computation." + std::to_string(result_.computations.size());
    const std::vector<InstructionId> read = read_by(members);
    body.instructions.reserve(read.size() + members.size() + 1);
    for (InstructionId input : read) {
      Instruction parameter;
      parameter.opcode = Opcode::parameter;
      parameter.name = "param_" + std::to_string(inputs.size());
      parameter.shape = source_[input].shape;
      parameter.index = std::int64_t(inputs.size());
      inputs.push_back(input);
      in_body_[input] = InstructionId(body.instructions.size());
      body.parameters.push_back(in_body_[input]);
      body.instructions.push_back(std::move(parameter));
    }
    for (InstructionId member : members) {
      Instruction inlined = copy(member);
      for (InstructionId& operand : inlined.operands) operand = in_body_[operand];
      in_body_[member] = InstructionId(body.instructions.size());
      body.instructions.push_back(std::move(inlined));
    }
    body.root = in_body_[group.roots.front()];
    if (group.roots.size() > 1) add_tuple_root(body, group);
    return body;
  }

  void add_tuple_root(Computation& body, const FusionPlan::Group& group) const {
    Instruction tuple;
    tuple.opcode = Opcode::tuple;
    tuple.name = "tuple";
    std::vector<Shape> shapes;
    for (InstructionId root : group.roots) {
      tuple.operands.push_back(in_body_[root]);
      shapes.push_back(source_[root].shape);
    }
    tuple.shape = make_tuple_shape(std::move(shapes));
    body.root = InstructionId(body.instructions.size());
    body.instructions.push_back(std::move(tuple));
  }

  /// The roots and everything inlined that they need, in ascending (topological) order.
  std::vector<InstructionId> members_of(const FusionPlan::Group& group) {
    std::vector<InstructionId> members;
    std::vector<InstructionId> open(group.roots);
    ++mark_;
    while (!open.empty()) {
      InstructionId id = open.back();
      open.pop_back();
      if (std::exchange(marked_[id], mark_) == mark_) continue;
      members.push_back(id);
      for (InstructionId operand : source_[id].operands) {
        if (plan_.inlined[operand] && takes_inlined_operands(source_[id])) open.push_back(operand);
      }
    }
    std::ranges::sort(members);
    return members;
  }

  /// What the members, which are marked, read of others, in ascending order.
  std::vector<InstructionId> read_by(const std::vector<InstructionId>& members) {
    std::vector<InstructionId> read;
    for (InstructionId member : members) {
      for (InstructionId operand : source_[member].operands) {
        if (std::exchange(marked_[operand], mark_) != mark_) read.push_back(operand);
      }
    }
    std::ranges::sort(read);
    return read;
  }

  ComputationId finish() {
    for (InstructionId id = 0; id < InstructionId(entry_.instructions.size()); ++id) {
      if (renamed_.contains(id)) continue;  // already names an instruction of the new entry
      for (InstructionId& operand : entry_[id].operands) operand = position_[operand];
    }
    for (InstructionId parameter : source_.parameters) entry_.parameters.push_back(position_[parameter]);
    entry_.root = position_[source_.root];
    result_.computations.push_back(in_order_of_need(std::move(entry_)));
    return ComputationId(result_.computations.size()) - 1;
  }

  const Computation& source_;
  const std::vector<ComputationId>& renumbered_;
  Module& result_;
  FusionPlan plan_;
  Computation entry_;
  std::vector<InstructionId> position_;  ///< source id -> id in entry_
  std::set<InstructionId> renamed_;
  std::vector<InstructionId> in_body_;  ///< source id -> id in the body that is being made
  std::vector<int> marked_;             ///< by the mark of this number
  int mark_ = 0;
};

}  // namespace

Module fuse(Module module) {
  const std::vector<bool> executed = executed_computations(module);
  std::vector<ComputationId> renumbered;
  std::vector<Computation> sources = std::exchange(module.computations, {});
  for (ComputationId id = 0; id < ComputationId(sources.size()); ++id) {
    if (executed[id]) {
      renumbered.push_back(Fuser(sources[id], renumbered, module).run());
      continue;
    }
    Computation& same = module.computations.emplace_back(std::move(sources[id]));
    for (Instruction& instruction : same.instructions) {
      for (ComputationId& called : instruction.called) called = renumbered[called];
    }
    renumbered.push_back(ComputationId(module.computations.size()) - 1);
  }
  module.entry = renumbered[module.entry];
  return module;
}

}  // namespace podsim::sw
