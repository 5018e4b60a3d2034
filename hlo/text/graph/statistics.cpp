// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text/counted.h"
#include "hlo/text/attribute_value.h"

namespace podsim::hlo::text::graph {
namespace {

/// The largest device id in the groups, or -1.
std::int64_t largest(const std::vector<Integers>& groups) {
  std::int64_t device = -1;
  for (const Integers& group : groups) {
    for (const std::int64_t member : group) device = std::max(device, member);
  }
  return device;
}

std::string groups_text(const std::vector<Integers>& groups) {
  if (groups.empty() || groups.front().empty()) return "all devices";
  const bool alike =
      std::ranges::all_of(groups, [&](const Integers& group) { return group.size() == groups[0].size(); });
  return alike ? fmt::format("{} of {} devices", groups.size(), groups[0].size())
               : fmt::format("{} of several sizes", groups.size());
}

std::string without_phase(std::string_view opcode) {
  for (const std::string_view suffix : {"-start", "-done", "-update"}) {
    if (opcode.ends_with(suffix)) opcode.remove_suffix(suffix.size());
  }
  return std::string(opcode);
}

class Counter {
 public:
  explicit Counter(const Module& module) : module_(module) {}

  Statistics count() {
    result_.computations = std::int64_t(module_.computations.size());
    result_.instructions = std::int64_t(module_.instructions.size());
    result_.scheduled = is_scheduled(module_);
    for (const Instruction& instruction : module_.instructions) add(instruction);
    add_parameters();
    if (const std::string_view* stated = find_value(module_.attributes, "num_partitions")) {
      result_.partitions = Scanner(*stated).integer("a number");
    }
    for (auto& [key, collective] : collectives_) result_.collectives.push_back(std::move(collective));
    return std::move(result_);
  }

 private:
  void add(const Instruction& instruction) {
    ++result_.opcodes[std::string(instruction.opcode_text)];
    const std::span<const Attribute> attributes = module_.attributes_of(instruction);
    if (instruction.opcode == hlo::Opcode::fusion && instruction.phase == hlo::AsyncPhase::none) {
      const std::string_view* kind = find_value(attributes, "kind");
      ++result_.fusions[kind == nullptr ? "without a kind" : std::string(*kind)];
    }
    if (const std::string_view* text = find_value(attributes, "sharding")) {
      Scanner scanner(*text);
      add_sharding(read_sharding(scanner));
    }
    if (instruction.opcode == hlo::Opcode::unknown || hlo::row(instruction.opcode).kind != hlo::OpcodeClass::collective)
      return;
    if (instruction.phase == hlo::AsyncPhase::none || instruction.phase == hlo::AsyncPhase::start)
      add_collective(instruction);
  }

  void add_sharding(const hlo::Sharding& sharding) {
    for (const std::int64_t device : sharding.device_list()) add_device(device);
    for (const hlo::Sharding& element : sharding.elements) add_sharding(element);
  }

  void add_device(std::int64_t device) {
    if (device < (std::int64_t(1) << 32)) result_.partitions = std::max(result_.partitions, device + 1);
  }

  std::string groups_of(const Instruction& instruction) {
    const std::span<const Attribute> attributes = module_.attributes_of(instruction);
    if (const std::string_view* text = find_value(attributes, "source_target_pairs")) {
      Scanner scanner(*text);
      const std::vector<Integers> pairs = read_pairs(scanner);
      add_device(largest(pairs));
      return base::text::counted(std::int64_t(pairs.size()), "pair");
    }
    const std::string_view* text = find_value(attributes, "replica_groups");
    if (text == nullptr)
      return instruction.opcode == hlo::Opcode::send || instruction.opcode == hlo::Opcode::recv ? "" : "all devices";
    Scanner scanner(*text);
    const std::vector<Integers> groups = expand(read_replica_groups(scanner));
    add_device(largest(groups));
    return groups_text(groups);
  }

  void add_collective(const Instruction& instruction) {
    std::int64_t bytes = 0;
    ShapeId first = instruction.shape;
    for (const InstructionIndex operand : module_.operands(instruction)) {
      const ShapeId shape = module_.instructions[std::size_t(operand)].shape;
      if (bytes == 0) first = shape;
      bytes = saturating_add(bytes, module_.shapes.bytes(shape));
    }
    while (module_.shapes[first].is_tuple && !module_.shapes[first].elements.empty()) {
      first = module_.shapes[first].elements[0];
    }
    const Shape& shape = module_.shapes[first];
    const std::string type = shape.is_tuple ? "" : hlo::to_string(shape.type);
    const std::string opcode = without_phase(instruction.opcode_text);
    const std::string groups = groups_of(instruction);
    CollectiveCount& collective = collectives_[{opcode, type, groups}];
    collective.opcode = opcode;
    collective.element_type = type;
    collective.groups = groups;
    ++collective.count;
    collective.bytes = saturating_add(collective.bytes, bytes);
  }

  void add_parameters() {
    const Computation& entry = module_.computations[std::size_t(module_.entry)];
    result_.parameters = std::int64_t(entry.parameters.size());
    for (const InstructionIndex parameter : entry.parameters) {
      const std::int64_t bytes = module_.shapes.bytes(module_.instructions[std::size_t(parameter)].shape);
      result_.parameter_bytes = saturating_add(result_.parameter_bytes, bytes);
    }
  }

  const Module& module_;
  Statistics result_;
  std::map<std::tuple<std::string, std::string, std::string>, CollectiveCount> collectives_;
};

}  // namespace

Statistics statistics(const Module& module) { return Counter(module).count(); }

}  // namespace podsim::hlo::text::graph
