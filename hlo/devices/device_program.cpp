// SPDX-License-Identifier: Apache-2.0
#include "hlo/devices/device_program.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "hlo/device_groups.h"
#include "hlo/literal.h"

namespace podsim::hlo::devices {
namespace {

using Ids = std::vector<InstructionId>;

/// A branch: neighbouring instructions of one device, with what they read from and make for other branches. Or a state
/// alone, which other devices read.
struct Branch {
  int device = 0;
  Ids members = {};
  Ids reads = {};    ///< values of other branches and parameters, in the order of their readers
  Ids results = {};  ///< values that other branches or the result read
};

[[noreturn]] void fail(const Instruction& instruction, const char* why) {
  throw std::logic_error(fmt::format("%{} {}", instruction.name, why));
}

/// By instruction: a value on all devices that no parameter and no device number enters.
std::vector<bool> constants_of(const Computation& entry, const DevicePlan& plan) {
  std::vector<bool> constants(entry.instructions.size(), false);
  for (std::size_t id = 0; id < constants.size(); ++id) {
    const Instruction& instruction = entry.instructions[id];
    if (plan.device[id] != all_devices || instruction.opcode == Opcode::parameter) continue;
    const bool is_source = instruction.opcode == Opcode::constant || instruction.opcode == Opcode::iota;
    constants[id] = is_source || (!instruction.operands.empty() &&
                                  std::ranges::all_of(instruction.operands, [&](InstructionId operand) {
                                    return bool(constants[std::size_t(operand)]);
                                  }));
  }
  return constants;
}

/// Divides the order of a plan into branches.
class Division {
 public:
  Division(const Computation& entry, const DevicePlan& plan, const std::vector<bool>& is_result)
      : entry_(entry), plan_(plan), is_result_(is_result), open_(std::size_t(plan.devices), -1) {
    branch_of_.assign(entry.instructions.size(), -1);
    is_constant_ = constants_of(entry, plan);
    find_sent();
  }

  std::vector<Branch> run() {
    for (const InstructionId id : plan_.order) add(id);
    find_results();
    return std::move(branches_);
  }

 private:
  int device(InstructionId id) const { return plan_.device[std::size_t(id)]; }

  void find_sent() {
    sent_.assign(entry_.instructions.size(), false);
    for (const InstructionId id : plan_.order) {
      for (const InstructionId operand : entry_[id].operands) {
        if (device(operand) != all_devices && device(operand) != device(id)) sent_[std::size_t(operand)] = true;
      }
    }
  }

  void add(InstructionId id) {
    int& open = open_[std::size_t(device(id))];
    if (entry_[id].opcode == Opcode::parameter) {
      if (!sent_[std::size_t(id)]) return;
      branches_.push_back({device(id), {id}, {}, {id}});
      open = -1;
      return;
    }
    if (open < 0 || waits(id)) {
      open = int(branches_.size());
      branches_.push_back({device(id)});
    }
    branch_of_[std::size_t(id)] = open;
    Branch& branch = branches_[std::size_t(open)];
    branch.members.push_back(id);
    read(branch, id);
    if (sent_[std::size_t(id)]) open = -1;
  }

  /// Whether an instruction reads a value that its device has not received yet.
  bool waits(InstructionId id) const {
    return std::ranges::any_of(entry_[id].operands, [&](InstructionId operand) {
      return device(operand) != all_devices && device(operand) != device(id) &&
             !received_.contains({operand, device(id)});
    });
  }

  void read(Branch& branch, InstructionId id) {
    for (const InstructionId operand : entry_[id].operands) {
      if (device(operand) == all_devices) {
        read_everywhere(branch, operand);
        continue;
      }
      const bool is_state = entry_[operand].opcode == Opcode::parameter;
      if (branch_of_[std::size_t(operand)] < 0 && !is_state) fail(entry_[id], "comes before an operand in the order");
      if (device(operand) != branch.device) {
        if (entry_[operand].shape.is_tuple()) fail(entry_[operand], "is a tuple that another device reads");
        received_.insert({operand, branch.device});
      }
      if (branch_of_[std::size_t(operand)] != branch_of_[std::size_t(id)]) note(branch, operand);
    }
  }

  /// Constants are copied into the branch.
  void read_everywhere(Branch& branch, InstructionId id) {
    if (!is_constant_[std::size_t(id)]) note(branch, id);
  }

  static void note(Branch& branch, InstructionId id) {
    if (std::ranges::find(branch.reads, id) == branch.reads.end()) branch.reads.push_back(id);
  }

  void find_results() {
    std::vector<bool> read = is_result_;
    for (const Branch& branch : branches_) {
      for (const InstructionId id : branch.reads) read[std::size_t(id)] = true;
    }
    for (Branch& branch : branches_) {
      if (!branch.results.empty()) continue;
      for (const InstructionId id : branch.members) {
        if (read[std::size_t(id)]) branch.results.push_back(id);
      }
    }
  }

  const Computation& entry_;
  const DevicePlan& plan_;
  const std::vector<bool>& is_result_;
  std::vector<Branch> branches_;
  std::vector<bool> sent_, is_constant_;
  std::vector<int> open_, branch_of_;
  std::set<std::pair<InstructionId, int>> received_;
};

class DeviceWriter {
 public:
  DeviceWriter(const Module& whole, const DevicePlan& plan)
      : whole_(whole), entry_(whole.entry_computation()), plan_(plan), is_state_(states_of(whole, plan.device)) {
    if (plan.device.size() != entry_.instructions.size()) throw std::logic_error("a device for every instruction");
    results_ = entry_[entry_.root].shape.is_tuple() ? entry_[entry_.root].operands : Ids{entry_.root};
    if (entry_[entry_.root].shape.is_tuple() && entry_[entry_.root].opcode != Opcode::tuple)
      fail(entry_[entry_.root], "is a result of several values, but no tuple");
    replaces_.assign(results_.size(), -1);
    for (const Donation& donation : whole.donations) replaces_[std::size_t(donation.output)] = donation.parameter;
    values_.resize(std::size_t(plan.devices));
  }

  DeviceProgram run() {
    add_parameters();
    index_ = add(made(Opcode::convert, "device", make_shape(ElementType::s32, {}),
                      {add(made(Opcode::partition_id, "partition", make_shape(ElementType::u32, {}), {}))}));
    std::vector<bool> is_result(entry_.instructions.size(), false);
    for (const InstructionId id : results_) is_result[std::size_t(id)] = true;
    for (InstructionId id = 0; id < InstructionId(entry_.instructions.size()); ++id) {
      if (entry_[id].opcode == Opcode::infeed) whole_value(id);
    }
    for (const Branch& branch : Division(entry_, plan_, is_result).run()) write(branch);
    write_results();
    return finish();
  }

 private:
  int device(InstructionId id) const { return plan_.device[std::size_t(id)]; }

  InstructionId add(Instruction instruction) {
    std::string name = instruction.name;
    for (int number = 1; !names_.insert(name).second; ++number) name = fmt::format("{}.{}", instruction.name, number);
    instruction.name = std::move(name);
    return append(result_, std::move(instruction));
  }

  static InstructionId append(Computation& to, Instruction instruction) {
    to.instructions.push_back(std::move(instruction));
    return InstructionId(to.instructions.size()) - 1;
  }

  static Instruction made(Opcode opcode, std::string name, Shape shape, Ids operands) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.name = std::move(name);
    instruction.shape = std::move(shape);
    instruction.operands = std::move(operands);
    return instruction;
  }

  // --- parameters

  void add_parameters() {
    program_.parameter_of.assign(std::size_t(plan_.devices), std::vector<std::int64_t>(entry_.parameters.size(), -1));
    for (std::size_t number = 0; number < entry_.parameters.size(); ++number) {
      if (is_state_[number]) continue;
      const InstructionId id = entry_.parameters[number];
      Instruction parameter = entry_[id];
      parameter.sharding = nullptr;
      const std::int64_t index = add_parameter(std::move(parameter));
      for (auto& of_device : program_.parameter_of) of_device[number] = index;
      everywhere_[id] = result_.parameters.back();
    }
    add_holders();
  }

  std::int64_t add_parameter(Instruction parameter) {
    parameter.index = std::int64_t(result_.parameters.size());
    const std::int64_t index = parameter.index;
    result_.parameters.push_back(add(std::move(parameter)));
    return index;
  }

  /// Gives the states of each device to entry parameters of their shape.
  void add_holders() {
    const std::vector<int> owners = owners_of_states();
    std::map<std::string, Ids> holders;
    for (int device = 0; device < plan_.devices; ++device) {
      std::map<std::string, std::size_t> used;
      for (std::size_t number = 0; number < entry_.parameters.size(); ++number) {
        if (!is_state_[number] || owners[number] != device) continue;
        const InstructionId id = entry_.parameters[number];
        const std::string shape = to_string(entry_[id].shape);
        Ids& of_shape = holders[shape];
        const std::size_t next = used[shape]++;
        if (next == of_shape.size()) {
          Instruction parameter =
              made(Opcode::parameter, fmt::format("state/{}/{}", shape, next), entry_[id].shape, {});
          parameter.op_name = parameter.name;
          add_parameter(std::move(parameter));
          of_shape.push_back(result_.parameters.back());
          holders_.push_back(result_.parameters.back());
        }
        program_.parameter_of[std::size_t(device)][number] = result_[of_shape[next]].index;
        values_[std::size_t(device)][id] = of_shape[next];
      }
    }
  }

  std::vector<int> owners_of_states() const {
    std::vector<int> owners(entry_.parameters.size(), -1);
    for (std::size_t result = 0; result < results_.size(); ++result) {
      if (replaces_[result] >= 0 && is_state_[std::size_t(replaces_[result])])
        owners[std::size_t(replaces_[result])] = device(results_[result]);
    }
    return owners;
  }

  // --- branches

  void write(const Branch& branch) {
    if (entry_[branch.members.front()].opcode == Opcode::parameter) return send(branch);
    Ids operands;
    for (const InstructionId id : branch.reads) operands.push_back(value_on(id, branch.device));
    std::vector<Shape> operand_shapes, result_shapes;
    for (const InstructionId id : branch.reads) operand_shapes.push_back(entry_[id].shape);
    for (const InstructionId id : branch.results) result_shapes.push_back(entry_[id].shape);
    const Shape argument = make_tuple_shape(std::move(operand_shapes)), results = make_tuple_shape(result_shapes);
    const std::string name = fmt::format(
        "{}.on{}", entry_[branch.results.empty() ? branch.members.back() : branch.results.back()].name, branch.device);
    const InstructionId conditional =
        add_conditional(name, {argument, operands}, results, {{branch.device, taken(name, branch, argument, results)}});
    for (std::size_t i = 0; i < branch.results.size(); ++i) {
      values_[std::size_t(branch.device)][branch.results[i]] = element(conditional, i, entry_[branch.results[i]]);
    }
    send(branch);
  }

  struct Operands {
    Shape shape;
    Ids values;
  };

  /// A conditional whose branches have the same operands; devices without one have buffers for the results.
  InstructionId add_conditional(const std::string& name, const Operands& operands, const Shape& results,
                                const std::map<int, Computation>& taken) {
    Instruction conditional = made(Opcode::conditional, name, results, {index_});
    branches_.push_back(buffers(name, results));
    const auto other = ComputationId(branches_.size()) - 1;
    const InstructionId none = nothing(),
                        tuple = add(made(Opcode::tuple, name + ".operands", operands.shape, operands.values));
    for (int device = 0; device < plan_.devices; ++device) {
      const auto own = taken.find(device);
      conditional.operands.push_back(own == taken.end() ? none : tuple);
      conditional.called.push_back(other);
      if (own == taken.end()) continue;
      branches_.push_back(own->second);
      conditional.called.back() = ComputationId(branches_.size()) - 1;
    }
    conditionals_.push_back(add(std::move(conditional)));
    return conditionals_.back();
  }

  InstructionId nothing() {
    if (nothing_ < 0) nothing_ = add(made(Opcode::tuple, "nothing", make_tuple_shape({}), {}));
    return nothing_;
  }

  Instruction element_of(InstructionId tuple, std::size_t number, const Instruction& like) const {
    Instruction element = made(Opcode::get_tuple_element, like.name, like.shape, {tuple});
    element.index = std::int64_t(number);
    element.op_name = like.op_name;
    return element;
  }
  InstructionId element(InstructionId tuple, std::size_t number, const Instruction& like) {
    return add(element_of(tuple, number, like));
  }

  Computation taken(const std::string& name, const Branch& branch, const Shape& argument, const Shape& results) const {
    Computation body;
    body.name = name;
    body.parameters = {append(body, made(Opcode::parameter, name + ".operand", argument, {}))};
    std::map<InstructionId, InstructionId> local;
    for (std::size_t i = 0; i < branch.reads.size(); ++i) {
      local[branch.reads[i]] = append(body, element_of(body.parameters.front(), i, entry_[branch.reads[i]]));
    }
    for (const InstructionId id : branch.members) copy(body, id, local);
    Ids made_here;
    for (const InstructionId id : branch.results) made_here.push_back(local.at(id));
    body.root = append(body, made(Opcode::tuple, name + ".results", results, std::move(made_here)));
    return body;
  }

  /// An instruction of the program as each device has it: the number of its device is that of the replica.
  static Instruction copied(Instruction instruction) {
    instruction.sharding = nullptr;
    if (instruction.opcode == Opcode::partition_id) instruction.opcode = Opcode::replica_id;
    return instruction;
  }

  InstructionId copy(Computation& body, InstructionId id, std::map<InstructionId, InstructionId>& local) const {
    if (const auto known = local.find(id); known != local.end()) return known->second;
    Instruction instruction = copied(entry_[id]);
    for (InstructionId& operand : instruction.operands) operand = copy(body, operand, local);
    if (is_collective(instruction.opcode)) {
      if (plan_.replicas == 1) return local[id] = of_one_replica(body, std::move(instruction));
      join_replicas(instruction, device(id));
    }
    return local[id] = append(body, std::move(instruction));
  }

  /// A collective of one device is its operands.
  static InstructionId of_one_replica(Computation& body, Instruction collective) {
    if (!collective.shape.is_tuple()) return collective.operands.front();
    return append(body, made(Opcode::tuple, collective.name, collective.shape, std::move(collective.operands)));
  }

  /// A program that does not say how many devices run it has one for each replica.
  std::vector<std::vector<std::int64_t>> replica_groups(const Instruction& collective) const {
    if (whole_.replicas * whole_.partitions == plan_.replicas)
      return device_groups(collective, whole_.replicas, whole_.partitions);
    if (whole_.replicas * whole_.partitions != 1) fail(collective, "joins another number of devices");
    const bool is_of_partitions = collective.participants->channel_id.has_value();
    return device_groups(collective, is_of_partitions ? 1 : plan_.replicas, is_of_partitions ? plan_.replicas : 1);
  }

  /// Groups of replicas become groups of this device of each.
  void join_replicas(Instruction& collective, int device) const {
    const auto global = [&](std::int64_t replica) { return replica * plan_.devices + device; };
    Participants& participants = collective.participants.edit();
    if (collective.opcode == Opcode::collective_permute) {
      for (auto& [source, target] : participants.source_target_pairs) {
        source = global(source);
        target = global(target);
      }
    } else {
      std::vector<std::vector<std::int64_t>> groups = replica_groups(collective);
      for (auto& group : groups) std::ranges::transform(group, group.begin(), global);
      participants.iota.reset();
      participants.groups = std::move(groups);
    }
    participants.channel_id = participants.channel_id.value_or(1);
    participants.use_global_device_ids = true;
  }

  /// What other devices take: nothing happens to the results.
  static Computation buffers(const std::string& name, const Shape& results) {
    Computation body;
    body.name = name + ".else";
    body.parameters = {append(body, made(Opcode::parameter, name + ".nothing", make_tuple_shape({}), {}))};
    body.root = buffer(body, name + ".elsewhere", results);
    return body;
  }

  static InstructionId buffer(Computation& body, const std::string& name, const Shape& shape) {
    Instruction value = made(shape.is_tuple() ? Opcode::tuple : Opcode::custom_call, name, shape, {});
    if (!shape.is_tuple()) value.target = "AllocateBuffer";
    for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
      value.operands.push_back(buffer(body, fmt::format("{}.{}", name, i), shape.tuple_shapes[i]));
    }
    return append(body, std::move(value));
  }

  // --- transfers

  /// Starts to send the results of a branch to the devices that read them.
  void send(const Branch& branch) {
    if (readers_.empty()) find_readers();
    for (const InstructionId id : branch.results) {
      for (const int to : readers_[std::size_t(id)]) {
        Instruction transfer = made(Opcode::collective_permute, fmt::format("{}.to{}", entry_[id].name, to),
                                    entry_[id].shape, {values_[std::size_t(branch.device)].at(id)});
        transfer.phase = AsyncPhase::start;
        transfer.op_name = entry_[id].op_name;
        transfer.participants.edit().channel_id = 1;
        transfer.participants.edit().source_target_pairs = {{branch.device, to}};
        in_flight_[{id, to}] = add(std::move(transfer));
      }
    }
  }

  void find_readers() {
    readers_.resize(entry_.instructions.size());
    for (const InstructionId id : plan_.order) {
      for (const InstructionId operand : entry_[id].operands) {
        if (device(operand) != all_devices && device(operand) != device(id))
          readers_[std::size_t(operand)].insert(device(id));
      }
    }
  }

  /// A value in the memory of a device, behind its transfer if it has one.
  InstructionId value_on(InstructionId id, int on) {
    if (device(id) == all_devices && !is_held(id)) return whole_value(id);
    std::map<InstructionId, InstructionId>& known = values_[std::size_t(on)];
    if (const auto found = known.find(id); found != known.end()) return found->second;
    const auto started = in_flight_.find({id, on});
    if (started == in_flight_.end()) fail(entry_[id], "is sent to a device after it is read");
    Instruction arrived = made(Opcode::collective_permute, fmt::format("{}.at{}", entry_[id].name, on),
                               entry_[id].shape, {started->second});
    arrived.phase = AsyncPhase::done;
    arrived.op_name = entry_[id].op_name;
    arrived.participants = result_[started->second].participants;
    return known[id] = add(std::move(arrived));
  }

  // --- results

  void write_results() {
    program_.result_of.assign(std::size_t(plan_.devices), std::vector<std::int64_t>(results_.size(), -1));
    Ids outputs = new_states();
    for (std::size_t result = 0; result < results_.size(); ++result) {
      const InstructionId id = results_[result];
      if (is_new_state(result)) continue;
      const bool whole = device(id) == all_devices;
      const auto number = std::int64_t(outputs.size());
      for (int at = 0; at < plan_.devices; ++at) {
        if (whole || at == device(id)) program_.result_of[std::size_t(at)][result] = number;
      }
      if (replaces_[result] >= 0)
        result_module_donations_.push_back({number, program_.parameter_of[0][std::size_t(replaces_[result])], 0});
      outputs.push_back(whole ? whole_value(id) : values_[std::size_t(device(id))].at(id));
    }
    std::vector<Shape> shapes;
    for (const InstructionId id : outputs) shapes.push_back(result_[id].shape);
    result_.root = add(made(Opcode::tuple, "results", make_tuple_shape(std::move(shapes)), std::move(outputs)));
  }

  bool is_new_state(std::size_t result) const {
    return replaces_[result] >= 0 && is_state_[std::size_t(replaces_[result])];
  }

  /// The states of each device by holder, behind the step.
  Ids new_states() {
    if (holders_.empty()) return {};
    std::vector<Ids> by_device(std::size_t(plan_.devices), holders_);
    for (std::size_t result = 0; result < results_.size(); ++result) {
      if (!is_new_state(result)) continue;
      const int at = device(results_[result]);
      const std::int64_t parameter = program_.parameter_of[std::size_t(at)][std::size_t(replaces_[result])];
      const auto holder = std::ranges::find(holders_, result_.parameters[std::size_t(parameter)]) - holders_.begin();
      by_device[std::size_t(at)][std::size_t(holder)] = values_[std::size_t(at)].at(results_[result]);
      program_.result_of[std::size_t(at)][result] = holder;
    }
    std::vector<Shape> shapes;
    for (const InstructionId id : holders_) shapes.push_back(result_[id].shape);
    const Shape tuple = make_tuple_shape(std::move(shapes));
    Computation same;
    same.name = "new_states.same";
    same.parameters = {append(same, made(Opcode::parameter, "states", tuple, {}))};
    same.root = same.parameters.front();
    branches_.push_back(std::move(same));
    Instruction choice = made(Opcode::conditional, "new_states", tuple, {index_});
    for (int at = 0; at < plan_.devices; ++at) {
      choice.operands.push_back(
          add(made(Opcode::tuple, fmt::format("new_states.on{}", at), tuple, by_device[std::size_t(at)])));
      choice.called.push_back(ComputationId(branches_.size()) - 1);
    }
    conditionals_.push_back(add(std::move(choice)));
    const InstructionId chosen = conditionals_.back();
    Ids states;
    for (std::size_t i = 0; i < holders_.size(); ++i) {
      result_module_donations_.push_back({std::int64_t(i), result_[holders_[i]].index, 0});
      Instruction like = made(Opcode::parameter, "new_" + result_[holders_[i]].name, result_[holders_[i]].shape, {});
      states.push_back(element(chosen, i, like));
    }
    return states;
  }

  bool is_held(InstructionId id) const {
    return entry_[id].opcode == Opcode::parameter && is_state_[std::size_t(entry_[id].index)];
  }

  /// A value on all devices, which each of them computes.
  InstructionId whole_value(InstructionId id) {
    if (const auto known = everywhere_.find(id); known != everywhere_.end()) return known->second;
    if (device(id) != all_devices || is_held(id)) fail(entry_[id], "is read on all devices and is on one");
    Instruction instruction = copied(entry_[id]);
    for (InstructionId& operand : instruction.operands) operand = whole_value(operand);
    return everywhere_[id] = add(std::move(instruction));
  }

  DeviceProgram finish() {
    Module& module = program_.module;
    module.name = whole_.name;
    module.replicas = plan_.replicas;
    module.partitions = plan_.devices;
    module.computations.assign(whole_.computations.begin(), whole_.computations.begin() + whole_.entry);
    for (Computation& computation : module.computations) {
      for (Instruction& instruction : computation.instructions) instruction = copied(std::move(instruction));
    }
    const auto first = ComputationId(module.computations.size());
    for (const InstructionId conditional : conditionals_) {
      for (ComputationId& called : result_[conditional].called) called += first;
    }
    for (Computation& branch : branches_) module.computations.push_back(std::move(branch));
    result_.name = entry_.name;
    module.computations.push_back(std::move(result_));
    module.entry = ComputationId(module.computations.size()) - 1;
    module.donations = std::move(result_module_donations_);
    return std::move(program_);
  }

  const Module& whole_;
  const Computation& entry_;
  const DevicePlan& plan_;
  std::vector<bool> is_state_;          ///< by parameter of the program
  Ids results_;                         ///< of the program
  std::vector<std::int64_t> replaces_;  ///< by result: the parameter that it replaces; -1: none
  DeviceProgram program_;
  Computation result_;
  std::set<std::string> names_;
  Ids holders_;                                                 ///< entry parameters that hold a state each
  std::map<InstructionId, InstructionId> everywhere_;           ///< values on all devices, by id in the program
  std::vector<std::map<InstructionId, InstructionId>> values_;  ///< the others, by device, by id in the program
  std::vector<std::set<int>> readers_;                          ///< by id in the program: other devices that read it
  std::map<std::pair<InstructionId, int>, InstructionId> in_flight_;
  std::vector<Computation> branches_;
  Ids conditionals_;  ///< of the result, which call branches
  std::vector<Donation> result_module_donations_;
  InstructionId index_ = -1, nothing_ = -1;
};

}  // namespace

std::vector<bool> states_of(const Module& whole, std::span<const int> device) {
  const Computation& entry = whole.entry_computation();
  std::vector<bool> states(entry.parameters.size(), false);
  const Instruction& root = entry[entry.root];
  for (const Donation& donation : whole.donations) {
    const InstructionId value = root.opcode == Opcode::tuple ? root.operands[std::size_t(donation.output)] : entry.root;
    if (device[std::size_t(value)] != all_devices) states[std::size_t(donation.parameter)] = true;
  }
  return states;
}

DeviceProgram write_device_program(const Module& whole, const DevicePlan& plan) {
  return DeviceWriter(whole, plan).run();
}

}  // namespace podsim::hlo::devices
