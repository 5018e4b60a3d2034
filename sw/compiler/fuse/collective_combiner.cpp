// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/collective_combiner.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler::fuse {
namespace {

struct Group {
  std::vector<ir::InstructionId> members;
  base::Bytes bytes;
  ir::InstructionId needed_by =
      std::numeric_limits<ir::InstructionId>::max();  ///< the smallest needed_by() of the members
  std::vector<std::size_t> completed;  ///< groups whose sums the members complete; earlier, with the same needed_by
  bool weights = false;                ///< all-gathers of parameters or parts of them, which are available at any time
};

bool may_combine(const ir::Instruction& instruction) {
  const bool kind = instruction.opcode == ir::Opcode::all_reduce || instruction.opcode == ir::Opcode::reduce_scatter ||
                    instruction.opcode == ir::Opcode::all_gather;
  return kind && instruction.phase == ir::AsyncPhase::none && !instruction.shape.is_tuple();
}

/// Compares participants without the values of channel ids: only their presence matters.
bool same_participants(const ir::Participants& a, const ir::Participants& b) {
  return a.iota == b.iota && a.groups == b.groups && a.channel_id.has_value() == b.channel_id.has_value() &&
         a.use_global_device_ids == b.use_global_device_ids;
}

bool same_kind(const ir::Instruction& a, const ir::Instruction& b) {
  return a.opcode == b.opcode && a.called == b.called && a.shape.element_type == b.shape.element_type &&
         a.dimensions == b.dimensions && same_participants(a.participants, b.participants);
}

/// Bytes of a core's operand or result, whichever is larger.
base::Bytes payload(const ir::Computation& computation, const ir::Instruction& instruction) {
  return std::max(ir::logical_bytes(instruction.shape), ir::logical_bytes(computation[instruction.operands[0]].shape));
}

/// True if the time of an instruction matters: it takes long, or other cores wait for it.
bool is_heavy(const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case ir::Opcode::dot:
    case ir::Opcode::convolution:
    case ir::Opcode::fusion:
    case ir::Opcode::reduce_window:
    case ir::Opcode::select_and_scatter:
    case ir::Opcode::gather:
    case ir::Opcode::scatter:
    case ir::Opcode::sort:
    case ir::Opcode::while_loop:
    case ir::Opcode::conditional:
    case ir::Opcode::call:
    case ir::Opcode::custom_call:
    case ir::Opcode::infeed:
    case ir::Opcode::outfeed:
    case ir::Opcode::all_to_all:
    case ir::Opcode::collective_permute:
    case ir::Opcode::collective_broadcast:
      return true;
    default:
      return may_combine(instruction) || instruction.phase != ir::AsyncPhase::none;
  }
}

/// True for an all-reduce of a reduce-scatter's result, in any form, which completes a sum. Both can wait until the sum
/// is needed.
bool completes(const ir::Computation& computation, const ir::Instruction& instruction) {
  if (instruction.opcode != ir::Opcode::all_reduce || !may_combine(instruction)) return false;
  const ir::Instruction* sum = &computation[instruction.operands[0]];
  while (sum->opcode == ir::Opcode::reshape || sum->opcode == ir::Opcode::transpose) {
    sum = &computation[sum->operands[0]];
  }
  return sum->opcode == ir::Opcode::reduce_scatter && may_combine(*sum);
}

/// Returns for every instruction the first heavy one that needs it, directly or through light ones. It can wait until
/// there.
std::vector<ir::InstructionId> needed_by(const ir::Computation& computation) {
  const ir::InstructionId count = ir::InstructionId(computation.instructions.size());
  std::vector<ir::InstructionId> first(std::size_t(count), count);
  for (ir::InstructionId id = count; id-- > 0;) {
    const bool waits = !is_heavy(computation[id]) || completes(computation, computation[id]);
    const ir::InstructionId need = waits ? first[std::size_t(id)] : id;
    for (const ir::InstructionId operand : computation[id].operands) {
      first[std::size_t(operand)] = std::min(first[std::size_t(operand)], need);
    }
  }
  return first;
}

/// Marks parameters and values that consist of elements of one parameter, in any order and type.
std::vector<bool> made_of_a_parameter(const ir::Computation& computation) {
  std::vector<bool> marks(computation.instructions.size(), false);
  for (ir::InstructionId id = 0; id < ir::InstructionId(marks.size()); ++id) {
    const ir::Instruction& instruction = computation[id];
    const auto marked = [&](ir::InstructionId operand) { return bool(marks[std::size_t(operand)]); };
    switch (instruction.opcode) {
      case ir::Opcode::parameter:
        marks[std::size_t(id)] = true;
        break;
      case ir::Opcode::get_tuple_element:
      case ir::Opcode::convert:
      case ir::Opcode::reshape:
      case ir::Opcode::slice:
      case ir::Opcode::transpose:
        marks[std::size_t(id)] = marked(instruction.operands[0]);
        break;
      default:
        break;
    }
  }
  return marks;
}

std::vector<Group> group_collectives(const ir::Computation& computation, base::Bytes threshold) {
  const std::vector<ir::InstructionId> needed = needed_by(computation);
  const std::vector<bool> from_parameters = made_of_a_parameter(computation);
  std::vector<Group> groups;
  std::vector<std::size_t> group_of(computation.instructions.size(), 0);
  for (ir::InstructionId id = 0; id < ir::InstructionId(computation.instructions.size()); ++id) {
    const ir::Instruction& instruction = computation[id];
    if (!may_combine(instruction)) continue;
    const base::Bytes bytes = payload(computation, instruction);
    const bool weights =
        instruction.opcode == ir::Opcode::all_gather && from_parameters[std::size_t(instruction.operands[0])];
    auto fits = [&](const Group& group) {
      return same_kind(computation[group.members.front()], instruction) && group.weights == weights &&
             group.bytes + bytes <= threshold && (weights || id < group.needed_by);
    };
    auto found = std::ranges::find_if(groups, fits);
    if (found == groups.end()) found = groups.insert(groups.end(), Group{});
    found->members.push_back(id);
    found->bytes += bytes;
    found->needed_by = std::min(found->needed_by, needed[std::size_t(id)]);
    found->weights = weights;
    group_of[std::size_t(id)] = std::size_t(found - groups.begin());
    if (completes(computation, instruction)) {
      found->completed.push_back(group_of[std::size_t(instruction.operands[0])]);
    }
    for (const std::size_t before : found->completed) {
      groups[before].needed_by = std::min(groups[before].needed_by, found->needed_by);
    }
  }
  std::erase_if(groups, [](const Group& group) { return group.members.size() < 2; });
  return groups;
}

/// Appends the combined collective after all instructions; the members become elements of its result.
void combine(ir::Computation& computation, const Group& group) {
  ir::Instruction combined = computation[group.members.front()];
  const std::string kind(ir::to_string(combined.opcode));
  combined.name = fmt::format("{}.combined.{}", kind, group.members.front());
  const bool over_replicas = combined.opcode == ir::Opcode::all_reduce && !combined.participants->channel_id;
  combined.op_name = (over_replicas ? "gradient " : "combined ") + kind;
  combined.operands.clear();
  std::vector<ir::Shape> shapes;
  for (ir::InstructionId member : group.members) {
    combined.operands.push_back(computation[member].operands[0]);
    shapes.push_back(computation[member].shape);
  }
  combined.shape = ir::make_tuple_shape(std::move(shapes));
  const ir::InstructionId tuple = ir::InstructionId(computation.instructions.size());
  computation.instructions.push_back(std::move(combined));
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    ir::Instruction& member = computation[group.members[i]];
    member.opcode = ir::Opcode::get_tuple_element;
    member.index = std::int64_t(i);
    member.operands = {tuple};
    member.called.clear();
    member.dimensions.clear();
    member.participants = {};
  }
}

/// Appends a value and the values that it is computed from, operands first, except those in `placed`, and adds them to
/// `placed`.
void add_with_operands(const ir::Computation& computation, ir::InstructionId id, std::vector<bool>& placed,
                       std::vector<ir::InstructionId>& order) {
  std::vector<ir::InstructionId> open{id};
  while (!open.empty()) {
    const ir::InstructionId next = open.back();
    const std::size_t before = open.size();
    for (ir::InstructionId operand : computation[next].operands) {
      if (!placed[std::size_t(operand)]) open.push_back(operand);
    }
    if (open.size() > before) continue;
    open.pop_back();
    if (placed[std::size_t(next)]) continue;
    placed[std::size_t(next)] = true;
    order.push_back(next);
  }
}

void combine_in(ir::Computation& computation, base::Bytes threshold) {
  const std::vector<Group> groups = group_collectives(computation, threshold);
  if (groups.empty()) return;
  const std::size_t count = computation.instructions.size();
  std::vector<std::vector<ir::InstructionId>> before(count);  ///< combined collectives, by position
  for (const Group& group : groups) {
    before[std::size_t(group.weights ? group.members.front() : group.members.back())].push_back(
        ir::InstructionId(computation.instructions.size()));
    combine(computation, group);
  }
  std::vector<bool> placed(computation.instructions.size(), false);
  std::vector<ir::InstructionId> order;
  for (ir::InstructionId id = 0; id < ir::InstructionId(count); ++id) {
    for (ir::InstructionId combined : before[std::size_t(id)]) {
      if (computation[combined].opcode == ir::Opcode::all_gather) {
        add_with_operands(computation, combined, placed, order);
      } else {
        order.push_back(combined);
      }
    }
    if (!placed[std::size_t(id)]) order.push_back(id);
    placed[std::size_t(id)] = true;
  }
  computation = sorted_topologically(std::move(computation), order);
}

}  // namespace

ir::Module combine_collectives(ir::Module module, base::Bytes threshold) {
  const std::vector<bool> executed = ir::executed_computations(module);
  for (std::size_t i = 0; i < executed.size(); ++i) {
    if (executed[i]) combine_in(module.computations[i], threshold);
  }
  return module;
}

}  // namespace podsim::sw::compiler::fuse
