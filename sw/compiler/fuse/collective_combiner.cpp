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
  std::vector<hlo::InstructionId> members;
  base::Bytes bytes;
  hlo::InstructionId needed_by =
      std::numeric_limits<hlo::InstructionId>::max();  ///< the smallest needed_by() of the members
  std::vector<std::size_t> completed;  ///< groups whose sums the members complete; earlier, with the same needed_by
  bool weights = false;                ///< all-gathers of parameters or parts of them, which are available at any time
};

bool may_combine(const hlo::Instruction& instruction) {
  const bool kind = instruction.opcode == hlo::Opcode::all_reduce ||
                    instruction.opcode == hlo::Opcode::reduce_scatter || instruction.opcode == hlo::Opcode::all_gather;
  return kind && instruction.phase == hlo::AsyncPhase::none && !instruction.shape.is_tuple();
}

/// Compares participants without the values of channel ids: only their presence matters.
bool same_participants(const hlo::Participants& a, const hlo::Participants& b) {
  return a.iota == b.iota && a.groups == b.groups && a.channel_id.has_value() == b.channel_id.has_value() &&
         a.use_global_device_ids == b.use_global_device_ids;
}

bool same_kind(const hlo::Instruction& a, const hlo::Instruction& b) {
  return a.opcode == b.opcode && a.called == b.called && a.shape.element_type == b.shape.element_type &&
         a.dimensions == b.dimensions && same_participants(a.participants, b.participants);
}

/// Bytes of a core's operand or result, whichever is larger.
base::Bytes payload(const hlo::Computation& computation, const hlo::Instruction& instruction) {
  return std::max(hlo::logical_bytes(instruction.shape),
                  hlo::logical_bytes(computation[instruction.operands[0]].shape));
}

/// True if the time of an instruction matters: it takes long, or other cores wait for it.
bool is_heavy(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::dot:
    case hlo::Opcode::convolution:
    case hlo::Opcode::fusion:
    case hlo::Opcode::reduce_window:
    case hlo::Opcode::select_and_scatter:
    case hlo::Opcode::gather:
    case hlo::Opcode::scatter:
    case hlo::Opcode::sort:
    case hlo::Opcode::while_loop:
    case hlo::Opcode::conditional:
    case hlo::Opcode::call:
    case hlo::Opcode::custom_call:
    case hlo::Opcode::infeed:
    case hlo::Opcode::outfeed:
    case hlo::Opcode::all_to_all:
    case hlo::Opcode::collective_permute:
    case hlo::Opcode::collective_broadcast:
      return true;
    default:
      return may_combine(instruction) || instruction.phase != hlo::AsyncPhase::none;
  }
}

/// The sum of which a value is a form: the operand behind reshapes and transpositions.
const hlo::Instruction& source_of(const hlo::Computation& computation, const hlo::Instruction& instruction) {
  const hlo::Instruction* source = &computation[instruction.operands[0]];
  while (source->opcode == hlo::Opcode::reshape || source->opcode == hlo::Opcode::transpose) {
    source = &computation[source->operands[0]];
  }
  return *source;
}

/// True for an all-reduce that completes a sum: of the result of a reduce-scatter, in any form, or of an all-reduce of
/// other groups (staged_all_reduces.h) that completes none itself. Both can wait until the sum is needed.
bool completes(const hlo::Computation& computation, const hlo::Instruction& instruction) {
  if (instruction.opcode != hlo::Opcode::all_reduce || !may_combine(instruction)) return false;
  const hlo::Instruction& sum = source_of(computation, instruction);
  if (!may_combine(sum)) return false;
  if (sum.opcode == hlo::Opcode::reduce_scatter) return true;
  if (sum.opcode != hlo::Opcode::all_reduce || same_participants(sum.participants, instruction.participants))
    return false;
  const hlo::Opcode before = source_of(computation, sum).opcode;
  return before != hlo::Opcode::all_reduce && before != hlo::Opcode::reduce_scatter;
}

/// Returns for every instruction the first heavy one that needs it, directly or through light ones. It can wait until
/// there.
std::vector<hlo::InstructionId> needed_by(const hlo::Computation& computation) {
  const hlo::InstructionId count = hlo::InstructionId(computation.instructions.size());
  std::vector<hlo::InstructionId> first(std::size_t(count), count);
  for (hlo::InstructionId id = count; id-- > 0;) {
    const bool waits = !is_heavy(computation[id]) || completes(computation, computation[id]);
    const hlo::InstructionId need = waits ? first[std::size_t(id)] : id;
    for (const hlo::InstructionId operand : computation[id].operands) {
      first[std::size_t(operand)] = std::min(first[std::size_t(operand)], need);
    }
  }
  return first;
}

/// Marks parameters and values that consist of elements of one parameter, in any order and type.
std::vector<bool> made_of_a_parameter(const hlo::Computation& computation) {
  std::vector<bool> marks(computation.instructions.size(), false);
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(marks.size()); ++id) {
    const hlo::Instruction& instruction = computation[id];
    const auto marked = [&](hlo::InstructionId operand) { return bool(marks[std::size_t(operand)]); };
    switch (instruction.opcode) {
      case hlo::Opcode::parameter:
        marks[std::size_t(id)] = true;
        break;
      case hlo::Opcode::get_tuple_element:
      case hlo::Opcode::convert:
      case hlo::Opcode::reshape:
      case hlo::Opcode::slice:
      case hlo::Opcode::transpose:
        marks[std::size_t(id)] = marked(instruction.operands[0]);
        break;
      default:
        break;
    }
  }
  return marks;
}

std::vector<Group> group_collectives(const hlo::Computation& computation, base::Bytes threshold) {
  const std::vector<hlo::InstructionId> needed = needed_by(computation);
  const std::vector<bool> from_parameters = made_of_a_parameter(computation);
  std::vector<Group> groups;
  std::vector<std::size_t> group_of(computation.instructions.size(), 0);
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(computation.instructions.size()); ++id) {
    const hlo::Instruction& instruction = computation[id];
    if (!may_combine(instruction)) continue;
    const base::Bytes bytes = payload(computation, instruction);
    const bool weights =
        instruction.opcode == hlo::Opcode::all_gather && from_parameters[std::size_t(instruction.operands[0])];
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
void combine(hlo::Computation& computation, const Group& group) {
  hlo::Instruction combined = computation[group.members.front()];
  const std::string kind(hlo::to_string(combined.opcode));
  combined.name = fmt::format("{}.combined.{}", kind, group.members.front());
  const bool over_replicas = combined.opcode == hlo::Opcode::all_reduce && !combined.participants->channel_id;
  combined.op_name = (over_replicas ? "gradient " : "combined ") + kind;
  combined.operands.clear();
  std::vector<hlo::Shape> shapes;
  for (hlo::InstructionId member : group.members) {
    combined.operands.push_back(computation[member].operands[0]);
    shapes.push_back(computation[member].shape);
  }
  combined.shape = hlo::make_tuple_shape(std::move(shapes));
  const hlo::InstructionId tuple = hlo::InstructionId(computation.instructions.size());
  computation.instructions.push_back(std::move(combined));
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    hlo::Instruction& member = computation[group.members[i]];
    member.opcode = hlo::Opcode::get_tuple_element;
    member.index = std::int64_t(i);
    member.operands = {tuple};
    member.called.clear();
    member.dimensions.clear();
    member.participants = {};
  }
}

/// Appends a value and the values that it is computed from, operands first, except those in `placed`, and adds them to
/// `placed`.
void add_with_operands(const hlo::Computation& computation, hlo::InstructionId id, std::vector<bool>& placed,
                       std::vector<hlo::InstructionId>& order) {
  std::vector<hlo::InstructionId> open{id};
  while (!open.empty()) {
    const hlo::InstructionId next = open.back();
    const std::size_t before = open.size();
    for (hlo::InstructionId operand : computation[next].operands) {
      if (!placed[std::size_t(operand)]) open.push_back(operand);
    }
    if (open.size() > before) continue;
    open.pop_back();
    if (placed[std::size_t(next)]) continue;
    placed[std::size_t(next)] = true;
    order.push_back(next);
  }
}

void combine_in(hlo::Computation& computation, base::Bytes threshold) {
  const std::vector<Group> groups = group_collectives(computation, threshold);
  if (groups.empty()) return;
  const std::size_t count = computation.instructions.size();
  std::vector<std::vector<hlo::InstructionId>> before(count);  ///< combined collectives, by position
  for (const Group& group : groups) {
    before[std::size_t(group.weights ? group.members.front() : group.members.back())].push_back(
        hlo::InstructionId(computation.instructions.size()));
    combine(computation, group);
  }
  std::vector<bool> placed(computation.instructions.size(), false);
  std::vector<hlo::InstructionId> order;
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(count); ++id) {
    for (hlo::InstructionId combined : before[std::size_t(id)]) {
      if (computation[combined].opcode == hlo::Opcode::all_gather) {
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

hlo::Module combine_collectives(hlo::Module module, base::Bytes threshold) {
  const std::vector<bool> executed = hlo::executed_computations(module);
  for (std::size_t i = 0; i < executed.size(); ++i) {
    if (executed[i]) combine_in(module.computations[i], threshold);
  }
  return module;
}

}  // namespace podsim::sw::compiler::fuse
