// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fusion.h"

#include <algorithm>
#include <map>
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
        position_(source_.instructions.size(), -1) {}

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
    std::set<InstructionId> members = members_of(group);
    std::set<InstructionId> read;
    for (InstructionId member : members) {
      for (InstructionId operand : source_[member].operands) {
        if (!members.contains(operand)) read.insert(operand);
      }
    }
    Computation body;
    body.name = "fused_computation." + std::to_string(result_.computations.size());
    std::map<InstructionId, InstructionId> renamed;
    for (InstructionId input : read) {
      Instruction parameter;
      parameter.opcode = Opcode::parameter;
      parameter.name = "param_" + std::to_string(inputs.size());
      parameter.shape = source_[input].shape;
      parameter.index = std::int64_t(inputs.size());
      inputs.push_back(input);
      renamed[input] = InstructionId(body.instructions.size());
      body.parameters.push_back(renamed[input]);
      body.instructions.push_back(std::move(parameter));
    }
    for (InstructionId member : members) {
      Instruction inlined = copy(member);
      for (InstructionId& operand : inlined.operands) operand = renamed.at(operand);
      renamed[member] = InstructionId(body.instructions.size());
      body.instructions.push_back(std::move(inlined));
    }
    body.root = renamed.at(group.roots.front());
    if (group.roots.size() > 1) add_tuple_root(body, group, renamed);
    return body;
  }

  void add_tuple_root(Computation& body, const FusionPlan::Group& group,
                      const std::map<InstructionId, InstructionId>& renamed) const {
    Instruction tuple;
    tuple.opcode = Opcode::tuple;
    tuple.name = "tuple";
    std::vector<Shape> shapes;
    for (InstructionId root : group.roots) {
      tuple.operands.push_back(renamed.at(root));
      shapes.push_back(source_[root].shape);
    }
    tuple.shape = make_tuple_shape(std::move(shapes));
    body.root = InstructionId(body.instructions.size());
    body.instructions.push_back(std::move(tuple));
  }

  /// The roots and everything inlined that they need, in ascending (topological) order.
  std::set<InstructionId> members_of(const FusionPlan::Group& group) const {
    std::set<InstructionId> members;
    std::vector<InstructionId> open(group.roots);
    while (!open.empty()) {
      InstructionId id = open.back();
      open.pop_back();
      if (!members.insert(id).second) continue;
      for (InstructionId operand : source_[id].operands) {
        if (plan_.inlined[operand] && takes_inlined_operands(source_[id])) open.push_back(operand);
      }
    }
    return members;
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
};

}  // namespace

Module fuse(const Module& module) {
  const std::vector<bool> executed = executed_computations(module);
  std::vector<ComputationId> renumbered;
  Module result = module;
  result.computations.clear();
  for (ComputationId id = 0; id < ComputationId(module.computations.size()); ++id) {
    if (executed[id]) {
      renumbered.push_back(Fuser(module.computations[id], renumbered, result).run());
      continue;
    }
    Computation& same = result.computations.emplace_back(module.computations[id]);
    for (Instruction& instruction : same.instructions) {
      for (ComputationId& called : instruction.called) called = renumbered[called];
    }
    renumbered.push_back(ComputationId(result.computations.size()) - 1);
  }
  result.entry = renumbered[module.entry];
  return result;
}

}  // namespace podsim::sw
