// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/forward_part.h"

#include <algorithm>
#include <set>
#include <utility>

#include "hlo/instruction_identity.h"
#include "hlo/transform/loop_state.h"

namespace podsim::hlo::transform {

namespace {

/// By instruction, whether a value among `roots` needs it.
std::vector<bool> read_by(const Computation& computation, std::span<const InstructionId> roots) {
  std::vector<bool> read(computation.instructions.size(), false);
  for (const InstructionId root : roots) read[std::size_t(root)] = true;
  for (std::size_t id = read.size(); id-- > 0;) {
    if (!read[id]) continue;
    for (const InstructionId operand : computation[InstructionId(id)].operands) read[std::size_t(operand)] = true;
  }
  return read;
}

/// Makes a tuple of these values the root of the entry, behind which nothing follows.
void return_values(Computation& entry, std::span<const InstructionId> results) {
  Instruction root = entry[entry.root];
  root.opcode = Opcode::tuple;
  root.op_name.clear();
  root.sharding = nullptr;
  root.operands.assign(results.begin(), results.end());
  std::vector<Shape> shapes;
  for (const InstructionId result : results) shapes.push_back(entry[result].shape);
  root.shape = make_tuple_shape(std::move(shapes));
  entry.root = InstructionId(entry.instructions.size());
  entry.instructions.push_back(std::move(root));
}

}  // namespace

std::vector<InstructionId> forward_results(const Module& step, std::span<const Donation> donations) {
  const Computation& entry = step.entry_computation();
  const Instruction& root = entry[entry.root];
  if (donations.empty() || root.opcode != Opcode::tuple) return {};
  std::set<std::int64_t> replacing;
  for (const Donation& donation : donations) replacing.insert(donation.output);
  std::vector<InstructionId> results;
  for (std::size_t i = 0; i < root.operands.size(); ++i) {
    if (!replacing.contains(std::int64_t(i))) results.push_back(root.operands[i]);
  }
  return results;
}

std::vector<ArgumentKind> argument_kinds(const Module& step, std::span<const Donation> donations,
                                         std::span<const InstructionId> results, std::span<const std::int64_t> frozen) {
  const Computation& entry = step.entry_computation();
  const std::vector<bool> read = read_by(entry, results);
  std::vector<ArgumentKind> kinds(entry.parameters.size(), ArgumentKind::input);
  for (const std::int64_t number : frozen) kinds[std::size_t(number)] = ArgumentKind::parameter;
  for (const Donation& donation : donations) {
    const auto number = std::size_t(donation.parameter);
    if (number >= kinds.size()) continue;
    kinds[number] = read[std::size_t(entry.parameters[number])] ? ArgumentKind::parameter : ArgumentKind::slot;
  }
  return kinds;
}

std::vector<std::int64_t> drop_unread_parameters(Computation& entry, std::span<const std::int64_t> kept) {
  std::vector<InstructionId> roots{entry.root};
  for (InstructionId id = 0; id < InstructionId(entry.instructions.size()); ++id) {
    if (entry[id].opcode != Opcode::parameter && !is_shareable(entry[id].opcode)) roots.push_back(id);
  }
  const std::vector<bool> read = read_by(entry, roots);
  std::vector<std::int64_t> numbers;
  std::vector<InstructionId> parameters;
  for (std::size_t number = 0; number < entry.parameters.size(); ++number) {
    const InstructionId id = entry.parameters[number];
    if (!read[std::size_t(id)] && std::ranges::find(kept, std::int64_t(number)) == kept.end()) continue;
    entry[id].index = std::int64_t(parameters.size());
    parameters.push_back(id);
    numbers.push_back(std::int64_t(number));
  }
  entry.parameters = std::move(parameters);
  return numbers;
}

ForwardPart forward_part(Module step, std::span<const InstructionId> results) {
  return_values(step.computations[std::size_t(step.entry)], results);
  drop_unread_loop_state(step);
  Computation& entry = step.computations[std::size_t(step.entry)];
  ForwardPart part;
  part.parameters = drop_unread_parameters(entry);
  drop_dead(entry);
  step.donations.clear();
  part.module = std::move(step);
  return part;
}

}  // namespace podsim::hlo::transform
