// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/device_branches.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "hlo/literal.h"

namespace podsim::hlo::spmd::propagate {
namespace {

using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

constexpr int all_devices = -1;

bool is_maximal(const Instruction& instruction) {
  return instruction.sharding && instruction.sharding->kind == hlo::Sharding::Kind::maximal;
}

/// True for a tuple with elements on one device; feeds have tokens there.
bool has_maximal_element(const Instruction& instruction) {
  if (!instruction.sharding || instruction.opcode == Opcode::infeed) return false;
  return std::ranges::any_of(instruction.sharding->elements,
                             [](const hlo::Sharding& element) { return element.kind == hlo::Sharding::Kind::maximal; });
}

std::shared_ptr<const hlo::Sharding> sharding_of_kind(hlo::Sharding::Kind kind) {
  hlo::Sharding sharding;
  sharding.kind = kind;
  return std::make_shared<const hlo::Sharding>(std::move(sharding));
}

/// The device of every instruction of a computation.
class Places {
 public:
  Places(const hlo::Computation& computation, std::int64_t partitions, std::vector<UnplacedValue>& unused)
      : computation_(computation),
        partitions_(partitions),
        unused_(unused),
        device_(computation.instructions.size(), all_devices),
        cheap_(computation.instructions.size(), false) {
    for (InstructionId id = 0; id < size(); ++id) cheap_[std::size_t(id)] = is_cheap(id);
    for (InstructionId id = 0; id < size(); ++id) place(id);
    while (remove_tuples()) {
    }
  }

  int of(InstructionId id) const { return device_[std::size_t(id)]; }
  /// True for a value that costs nothing to make again: a constant, an iota, or a constant broadcast.
  bool cheap(InstructionId id) const { return cheap_[std::size_t(id)]; }
  bool any() const {
    return std::ranges::any_of(device_, [](int device) { return device != all_devices; });
  }

 private:
  InstructionId size() const { return InstructionId(computation_.instructions.size()); }

  bool is_cheap(InstructionId id) const {
    const Instruction& instruction = computation_[id];
    if (instruction.sharding) return false;
    if (instruction.opcode == Opcode::constant || instruction.opcode == Opcode::iota) return true;
    return instruction.opcode == Opcode::broadcast && cheap_[std::size_t(instruction.operands[0])];
  }

  /// Why an instruction cannot be on one device; empty if it can.
  static std::string obstacle(const Instruction& instruction) {
    const Opcode opcode = instruction.opcode;
    if (opcode == Opcode::parameter || opcode == Opcode::constant) return "all devices hold equal arrays";
    if (opcode == Opcode::infeed || opcode == Opcode::outfeed) return "feeds are of all devices";
    if (opcode == Opcode::send || opcode == Opcode::recv || opcode == Opcode::send_done ||
        opcode == Opcode::recv_done || hlo::is_collective(opcode) || instruction.phase != hlo::AsyncPhase::none) {
      return "it is a transfer by itself";
    }
    if (opcode == Opcode::after_all || instruction.shape.element_type == hlo::ElementType::token)
      return "it is a token";
    return "";
  }

  void place(InstructionId id) {
    const Instruction& instruction = computation_[id];
    if (has_maximal_element(instruction)) unused_.push_back({instruction.name, "it is an element of a tuple"});
    if (is_maximal(instruction)) {
      std::string reason = obstacle(instruction);
      const std::int64_t device = instruction.sharding->device;
      if (device >= partitions_) reason = fmt::format("there are devices 0 to {}", partitions_ - 1);
      if (reason.empty()) {
        device_[std::size_t(id)] = int(device);
      } else if (instruction.opcode != Opcode::infeed && instruction.opcode != Opcode::outfeed &&
                 instruction.shape.element_type != hlo::ElementType::token) {
        unused_.push_back({instruction.name, reason});
      }
    } else if (!instruction.sharding && obstacle(instruction).empty() && !cheap(id)) {
      device_[std::size_t(id)] = device_of_operands(instruction);
    }
  }

  /// The one device of all operands that are not cheap.
  int device_of_operands(const Instruction& instruction) const {
    int device = all_devices;
    for (const InstructionId operand : instruction.operands) {
      if (cheap(operand)) continue;
      if (of(operand) == all_devices || (device != all_devices && of(operand) != device)) return all_devices;
      device = of(operand);
    }
    return device;
  }

  /// Takes tuples that would leave or enter a device from it, and whether there were any.
  bool remove_tuples() {
    bool removed = false;
    const auto remove = [&](InstructionId id) {
      if (of(id) == all_devices) return;
      if (is_maximal(computation_[id]))
        unused_.push_back({computation_[id].name, "a tuple leaves or enters its device"});
      device_[std::size_t(id)] = all_devices;
      removed = true;
    };
    for (InstructionId id = 0; id < size(); ++id) {
      for (const InstructionId operand : computation_[id].operands) {
        if (!computation_[operand].shape.is_tuple() || of(operand) == of(id)) continue;
        remove(id);
        remove(operand);
      }
    }
    if (computation_[computation_.root].shape.is_tuple()) remove(computation_.root);
    return removed;
  }

  const hlo::Computation& computation_;
  const std::int64_t partitions_;
  std::vector<UnplacedValue>& unused_;
  std::vector<int> device_;
  std::vector<bool> cheap_;
};

/// Groups of instructions that run as one: connected ones of one device, and every other instruction alone. No path
/// leaves a group and comes back: the level of a value is above those of operands on another device, and a group has
/// one level.
class Groups {
 public:
  Groups(const hlo::Computation& computation, const Places& places)
      : first_(computation.instructions.size()), level_(computation.instructions.size(), 0) {
    for (InstructionId id = 0; id < InstructionId(first_.size()); ++id) {
      first_[std::size_t(id)] = id;
      std::int64_t& level = level_[std::size_t(id)];
      for (const InstructionId operand : computation[id].operands) {
        if (places.cheap(operand)) continue;
        const bool moves = places.of(operand) != all_devices && places.of(operand) != places.of(id);
        level = std::max(level, level_[std::size_t(operand)] + (moves ? 1 : 0));
      }
      if (places.of(id) == all_devices) continue;
      for (const InstructionId operand : computation[id].operands) {
        if (places.of(operand) == places.of(id) && level_[std::size_t(operand)] == level) join(operand, id);
      }
    }
  }

  /// The first instruction of the group, which names it.
  InstructionId of(InstructionId id) {
    InstructionId& first = first_[std::size_t(id)];
    if (first != id) first = of(first);
    return first;
  }

 private:
  void join(InstructionId a, InstructionId b) {
    const InstructionId x = of(a), y = of(b);
    first_[std::size_t(std::max(x, y))] = std::min(x, y);
  }

  std::vector<InstructionId> first_;
  std::vector<std::int64_t> level_;
};

/// Writes the entry anew.
class BranchWriter {
 public:
  BranchWriter(hlo::Module module, std::int64_t partitions, const Places& places, const hlo::Computation& entry)
      : module_(std::move(module)),
        partitions_(partitions),
        places_(places),
        entry_(entry),
        groups_(entry, places),
        users_(hlo::users_of(entry)),
        moved_(entry.instructions.size(), -1),
        manual_(entry.instructions.size(), -1) {
    for (const Instruction& instruction : entry.instructions) names_.insert(instruction.name);
  }

  hlo::Module run() {
    for (InstructionId id = 0; id < InstructionId(entry_.instructions.size()); ++id) {
      members_[groups_.of(id)].push_back(id);
    }
    for (const auto& [group, members] : members_) write_group(group);
    result_.name = entry_.name;
    result_.root = whole(entry_.root);
    for (const InstructionId parameter : entry_.parameters) {
      result_.parameters.push_back(moved_[std::size_t(parameter)]);
    }
    place_branches();
    return std::move(module_);
  }

 private:
  /// Writes a group after those that it reads.
  void write_group(InstructionId group) {
    std::vector<InstructionId> waiting{group};
    while (!waiting.empty()) {
      const InstructionId at = waiting.back();
      if (written_.contains(at)) {
        waiting.pop_back();
        continue;
      }
      const std::size_t before = waiting.size();
      for (const InstructionId member : members_[at]) {
        for (const InstructionId operand : entry_[member].operands) {
          const InstructionId source = groups_.of(operand);
          if (source != at && !written_.contains(source)) waiting.push_back(source);
        }
      }
      if (waiting.size() > before) continue;
      waiting.pop_back();
      written_.insert(at);
      if (places_.of(at) != all_devices) {
        write_branch(members_[at]);
      } else if (!places_.cheap(at)) {
        write_whole(at);
      }
    }
  }

  InstructionId add(Instruction instruction) {
    std::string name = instruction.name;
    for (int number = 1; !names_new_.insert(name).second || (name != instruction.name && names_.contains(name));
         ++number) {
      name = fmt::format("{}.on_device.{}", instruction.name, number);
    }
    instruction.name = std::move(name);
    result_.instructions.push_back(std::move(instruction));
    return InstructionId(result_.instructions.size()) - 1;
  }

  Instruction made(Opcode opcode, std::string name, const hlo::Shape& shape, std::vector<InstructionId> operands,
                   const Instruction& origin) const {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.name = std::move(name);
    instruction.shape = shape;
    instruction.operands = std::move(operands);
    instruction.op_name = origin.op_name;
    instruction.source = origin.source;
    return instruction;
  }

  InstructionId annotation(const char* target, const char* suffix, InstructionId value, hlo::Sharding::Kind kind,
                           const Instruction& origin) {
    Instruction call = made(Opcode::custom_call, origin.name + suffix, result_[value].shape, {value}, origin);
    call.target = target;
    call.sharding = sharding_of_kind(kind);
    return add(std::move(call));
  }

  void write_whole(InstructionId id) {
    Instruction instruction = entry_[id];
    for (InstructionId& operand : instruction.operands) operand = whole(operand);
    moved_[std::size_t(id)] = add(std::move(instruction));
  }

  /// A value as all devices have it.
  InstructionId whole(InstructionId id) {
    InstructionId& moved = moved_[std::size_t(id)];
    if (moved < 0 && places_.of(id) == all_devices) write_whole(id);
    if (moved >= 0) return moved;
    const Instruction& origin = entry_[id];
    Instruction broadcast = made(Opcode::collective_broadcast, origin.name + ".from_device", origin.shape,
                                 {manual_[std::size_t(id)]}, origin);
    std::vector<std::int64_t> devices{places_.of(id)};
    for (std::int64_t device = 0; device < partitions_; ++device) {
      if (device != places_.of(id)) devices.push_back(device);
    }
    broadcast.participants.edit().groups = {std::move(devices)};
    broadcast.participants.edit().channel_id = 1;
    const InstructionId sent = add(std::move(broadcast));
    return moved = annotation("SPMDShardToFullShape", ".whole", sent, hlo::Sharding::Kind::replicated, origin);
  }

  /// A value as a branch on `device` takes it.
  InstructionId on_device(InstructionId id, int device) {
    const auto [known, added] = brought_.try_emplace({id, device}, -1);
    if (!added) return known->second;
    const Instruction& origin = entry_[id];
    const int from = places_.of(id);
    InstructionId value = manual_[std::size_t(id)];
    if (from == all_devices) {
      if (value < 0) {
        value = annotation("Sharding", ".all", whole(id), hlo::Sharding::Kind::replicated, origin);
        value = annotation("SPMDFullToShardShape", ".each", value, hlo::Sharding::Kind::manual, origin);
        manual_[std::size_t(id)] = value;
      }
    } else if (from != device) {
      Instruction transfer = made(Opcode::collective_permute, fmt::format("{}.to_device{}", origin.name, device),
                                  origin.shape, {value}, origin);
      transfer.participants.edit().source_target_pairs = {{from, device}};
      transfer.participants.edit().channel_id = 1;
      value = add(std::move(transfer));
    }
    return known->second = value;
  }

  /// What a group reads from outside, and what is read of it outside.
  std::vector<InstructionId> inputs_of(const std::vector<InstructionId>& members) {
    std::vector<InstructionId> inputs;
    for (const InstructionId member : members) {
      for (const InstructionId operand : entry_[member].operands) {
        if (groups_.of(operand) == groups_.of(member) || places_.cheap(operand)) continue;
        if (std::ranges::find(inputs, operand) == inputs.end()) inputs.push_back(operand);
      }
    }
    return inputs;
  }
  std::vector<InstructionId> outputs_of(const std::vector<InstructionId>& members) {
    std::vector<InstructionId> outputs;
    for (const InstructionId member : members) {
      const bool read = std::ranges::any_of(users_[std::size_t(member)],
                                            [&](InstructionId user) { return groups_.of(user) != groups_.of(member); });
      if (read || member == entry_.root || users_[std::size_t(member)].empty()) outputs.push_back(member);
    }
    return outputs;
  }

  void write_branch(const std::vector<InstructionId>& members) {
    const int device = places_.of(members.front());
    const std::vector<InstructionId> inputs = inputs_of(members), outputs = outputs_of(members);
    std::vector<InstructionId> arguments;
    hlo::Shape argument = hlo::make_tuple_shape({});
    for (const InstructionId input : inputs) {
      arguments.push_back(on_device(input, device));
      argument.tuple_shapes.push_back(entry_[input].shape);
    }
    hlo::Shape results = hlo::make_tuple_shape({});
    for (const InstructionId output : outputs) results.tuple_shapes.push_back(entry_[output].shape);
    const Instruction& origin = entry_[outputs.back()];
    const std::string name = fmt::format("{}.device{}", origin.name, device);

    branches_.push_back(taken(name, members, inputs, outputs, argument, results));
    branches_.push_back(left(name + ".else", argument, results, origin));
    const InstructionId tuple = add(made(Opcode::tuple, name + ".operands", argument, std::move(arguments), origin));
    Instruction conditional = made(Opcode::conditional, name, results, {is_device(device), tuple, tuple}, origin);
    conditional.called = {hlo::ComputationId(branches_.size()) - 2, hlo::ComputationId(branches_.size()) - 1};
    const InstructionId made_here = add(std::move(conditional));
    conditionals_.push_back(made_here);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Instruction& output = entry_[outputs[i]];
      Instruction element = made(Opcode::get_tuple_element, output.name, output.shape, {made_here}, output);
      element.index = std::int64_t(i);
      manual_[std::size_t(outputs[i])] = add(std::move(element));
    }
  }

  InstructionId is_device(int device) {
    const auto [known, added] = predicates_.try_emplace(device, -1);
    if (!added) return known->second;
    if (partition_ < 0) {
      partition_ = add(made(Opcode::partition_id, "partition", hlo::make_shape(hlo::ElementType::u32, {}), {}, {}));
    }
    Instruction number = made(Opcode::constant, fmt::format("device{}", device), result_[partition_].shape, {}, {});
    hlo::Literal literal = hlo::make_zeros(number.shape);
    literal.values[0] = device;
    number.literal = std::make_shared<const hlo::Literal>(std::move(literal));
    const InstructionId constant = add(std::move(number));
    Instruction compare = made(Opcode::compare, fmt::format("is_device{}", device),
                               hlo::make_shape(hlo::ElementType::pred, {}), {partition_, constant}, {});
    compare.comparison = hlo::ComparisonDirection::eq;
    return known->second = add(std::move(compare));
  }

  /// The branch of the device.
  hlo::Computation taken(const std::string& name, const std::vector<InstructionId>& members,
                         const std::vector<InstructionId>& inputs, const std::vector<InstructionId>& outputs,
                         const hlo::Shape& argument, const hlo::Shape& results) {
    hlo::Computation branch = with_parameter(name, argument);
    std::map<InstructionId, InstructionId> local;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Instruction element = made(Opcode::get_tuple_element, entry_[inputs[i]].name, entry_[inputs[i]].shape, {0}, {});
      element.index = std::int64_t(i);
      local[inputs[i]] = append(branch, std::move(element));
    }
    for (const InstructionId member : members) copy(branch, member, local);
    Instruction root = made(Opcode::tuple, name + ".results", results, {}, entry_[outputs.back()]);
    for (const InstructionId output : outputs) root.operands.push_back(local.at(output));
    branch.root = append(branch, std::move(root));
    return branch;
  }

  /// The branch of all others, which leave the results as they are.
  hlo::Computation left(const std::string& name, const hlo::Shape& argument, const hlo::Shape& results,
                        const Instruction& origin) const {
    hlo::Computation branch = with_parameter(name, argument);
    branch.root = buffer(branch, name + ".results", results, origin);
    return branch;
  }

  InstructionId buffer(hlo::Computation& branch, const std::string& name, const hlo::Shape& shape,
                       const Instruction& origin) const {
    Instruction value = made(shape.is_tuple() ? Opcode::tuple : Opcode::custom_call, name, shape, {}, origin);
    if (!shape.is_tuple()) value.target = "AllocateBuffer";
    for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
      value.operands.push_back(buffer(branch, fmt::format("{}.{}", name, i), shape.tuple_shapes[i], origin));
    }
    return append(branch, std::move(value));
  }

  static InstructionId append(hlo::Computation& branch, Instruction instruction) {
    branch.instructions.push_back(std::move(instruction));
    return InstructionId(branch.instructions.size()) - 1;
  }

  hlo::Computation with_parameter(const std::string& name, const hlo::Shape& shape) const {
    hlo::Computation branch;
    branch.name = name;
    branch.parameters = {append(branch, made(Opcode::parameter, name + ".operand", shape, {}, {}))};
    return branch;
  }

  InstructionId copy(hlo::Computation& branch, InstructionId id, std::map<InstructionId, InstructionId>& local) const {
    if (const auto known = local.find(id); known != local.end()) return known->second;
    Instruction instruction = entry_[id];
    instruction.sharding = nullptr;
    for (InstructionId& operand : instruction.operands) operand = copy(branch, operand, local);
    return local[id] = append(branch, std::move(instruction));
  }

  /// Puts the branches before the entry, which becomes the last computation.
  void place_branches() {
    const auto first = hlo::ComputationId(module_.computations.size()) - 1;
    for (const InstructionId conditional : conditionals_) {
      for (hlo::ComputationId& called : result_[conditional].called) called += first;
    }
    module_.computations.pop_back();
    for (hlo::Computation& branch : branches_) module_.computations.push_back(std::move(branch));
    module_.computations.push_back(std::move(result_));
    module_.entry = hlo::ComputationId(module_.computations.size()) - 1;
  }

  hlo::Module module_;
  const std::int64_t partitions_;
  const Places& places_;
  const hlo::Computation& entry_;
  Groups groups_;
  std::vector<std::vector<InstructionId>> users_;
  std::map<InstructionId, std::vector<InstructionId>> members_;
  std::set<InstructionId> written_;
  std::set<std::string> names_, names_new_;
  hlo::Computation result_;
  std::vector<hlo::Computation> branches_;
  std::vector<InstructionId> conditionals_;  ///< of the result, which call branches
  std::vector<InstructionId> moved_;         ///< by value of the entry: as all devices have it, -1 not yet
  std::vector<InstructionId> manual_;        ///< as each device has its own, -1 not yet
  std::map<std::pair<InstructionId, int>, InstructionId> brought_;
  std::map<int, InstructionId> predicates_;
  InstructionId partition_ = -1;
};

/// The module with its entry last.
hlo::Module with_entry_last(hlo::Module module) {
  module.computations.resize(std::size_t(module.entry) + 1);
  return module;
}

}  // namespace

DeviceBranches write_device_branches(hlo::Module module, std::int64_t partitions) {
  DeviceBranches result;
  module = with_entry_last(std::move(module));
  const std::vector<bool> executed = hlo::executed_computations(module);
  for (hlo::ComputationId c = 0; c < module.entry; ++c) {
    if (!executed[std::size_t(c)]) continue;
    for (const Instruction& instruction : module.computations[std::size_t(c)].instructions) {
      if (is_maximal(instruction)) result.unused.push_back({instruction.name, "it is in a loop, branch or call"});
    }
  }
  const hlo::Computation entry = module.entry_computation();
  const Places places(entry, partitions, result.unused);
  if (places.any()) module.partitions = partitions;  // its branches and transfers name them
  result.module = places.any() ? BranchWriter(std::move(module), partitions, places, entry).run() : std::move(module);
  return result;
}

}  // namespace podsim::hlo::spmd::propagate
