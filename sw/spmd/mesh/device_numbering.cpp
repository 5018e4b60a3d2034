// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/mesh/device_numbering.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "sw/ir/device_groups.h"
#include "sw/ir/literal.h"
#include "sw/spmd/mesh/device_order.h"

namespace podsim::sw::spmd::mesh {
namespace {

/// Calls visit(sharding) for every sharding of a module that divides an array.
void for_each_tiled(const ir::Module& module, const std::function<void(const ir::Sharding&)>& visit) {
  std::unordered_map<const ir::Sharding*, bool> seen;
  const std::function<void(const ir::Sharding&)> walk = [&](const ir::Sharding& sharding) {
    for (const ir::Sharding& element : sharding.elements) walk(element);
    if (sharding.kind == ir::Sharding::Kind::tiled) visit(sharding);
  };
  for (const ir::Computation& computation : module.computations) {
    for (const ir::Instruction& instruction : computation.instructions) {
      if (instruction.sharding && seen.emplace(instruction.sharding.get(), true).second) walk(*instruction.sharding);
    }
  }
}

bool names_each_once(std::vector<std::int64_t> devices, std::int64_t count) {
  std::ranges::sort(devices);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] != std::int64_t(i)) return false;
  }
  return std::int64_t(devices.size()) == count;
}

DeviceNumbers inverse(const DeviceNumbers& numbers) {
  DeviceNumbers positions(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) positions[std::size_t(numbers[i])] = std::int64_t(i);
  return positions;
}

std::int64_t copies_of(const ir::Sharding& sharding) {
  return std::accumulate(sharding.tiles.begin() + sharding.rank(), sharding.tiles.end(), std::int64_t{1},
                         std::multiplies{});
}

ir::Sharding renamed(const ir::Sharding& sharding, const DeviceNumbers& to) {
  const auto rename = [&](std::int64_t device) {
    return device >= 0 && device < std::int64_t(to.size()) ? to[std::size_t(device)] : device;
  };
  ir::Sharding made = sharding;
  for (ir::Sharding& element : made.elements) element = renamed(element, to);
  made.device = sharding.kind == ir::Sharding::Kind::maximal ? rename(sharding.device) : 0;
  if (sharding.kind != ir::Sharding::Kind::tiled) return made;
  made.devices = sharding.device_list();
  std::ranges::transform(made.devices, made.devices.begin(), rename);
  made.iota.clear();
  made.permutation.clear();
  return made;
}

/// Numbers devices anew, by a table from each number to the next.
class Renaming {
 public:
  Renaming(ir::Module& module, const DeviceNumbers& to) : module_(module), to_(to) {}

  void run() {
    for (ir::Computation& computation : module_.computations) {
      for (ir::Instruction& instruction : computation.instructions) {
        if (instruction.sharding) instruction.sharding = sharding(instruction.sharding);
        rename(instruction);
      }
    }
  }

 private:
  std::shared_ptr<const ir::Sharding> sharding(const std::shared_ptr<const ir::Sharding>& written) {
    auto& [kept, made] = shardings_[written.get()];
    if (!made) {
      kept = written;
      made = std::make_shared<const ir::Sharding>(renamed(*written, to_));
    }
    return made;
  }

  std::int64_t device(std::int64_t id) const {
    const auto partitions = std::int64_t(to_.size());
    return id < 0 ? id : id / partitions * partitions + to_[std::size_t(id % partitions)];
  }

  /// Groups of replicas name no partitions.
  void rename(ir::Instruction& instruction) const {
    if (!ir::is_collective(instruction.opcode)) return;
    if (!instruction.participants->channel_id && !instruction.participants->use_global_device_ids) return;
    ir::Participants& participants = instruction.participants.edit();
    if (participants.iota) {
      participants.groups = ir::expand(*participants.iota);
      participants.iota.reset();
    }
    for (auto& group : participants.groups) {
      for (std::int64_t& id : group) id = device(id);
    }
    for (auto& [source, target] : participants.source_target_pairs) {
      source = device(source);
      target = device(target);
    }
  }

  ir::Module& module_;
  const DeviceNumbers& to_;
  /// By the written one, which is kept so that no other takes its address.
  std::unordered_map<const ir::Sharding*,
                     std::pair<std::shared_ptr<const ir::Sharding>, std::shared_ptr<const ir::Sharding>>>
      shardings_;
};

/// Replaces every partition-id by its entry in a table.
void look_up_partition_ids(ir::Computation& computation, const DeviceNumbers& table) {
  std::vector<ir::Instruction> written;
  std::vector<ir::InstructionId> moved;
  const auto append = [&](ir::Instruction instruction) {
    written.push_back(std::move(instruction));
    return ir::InstructionId(written.size()) - 1;
  };
  for (ir::Instruction& instruction : computation.instructions) {
    for (ir::InstructionId& operand : instruction.operands) operand = moved[std::size_t(operand)];
    if (instruction.opcode != ir::Opcode::partition_id) {
      moved.push_back(append(std::move(instruction)));
      continue;
    }
    const auto derived = [&](ir::Opcode opcode, ir::Shape shape, std::vector<ir::InstructionId> operands,
                             const std::string& what) {
      ir::Instruction made;
      made.opcode = opcode;
      made.name = what.empty() ? instruction.name : instruction.name + "." + what;
      made.op_name = instruction.op_name;
      made.shape = std::move(shape);
      made.operands = std::move(operands);
      return made;
    };
    const ir::ElementType type = instruction.shape.element_type;
    ir::Instruction numbers =
        derived(ir::Opcode::constant, ir::make_shape(type, {std::int64_t(table.size())}), {}, "numbers");
    ir::Literal literal = ir::make_zeros(numbers.shape);
    std::ranges::copy(table, literal.values.begin());
    numbers.literal = std::make_shared<const ir::Literal>(std::move(literal));
    const ir::InstructionId constant = append(std::move(numbers));
    const ir::InstructionId own = append(derived(ir::Opcode::partition_id, instruction.shape, {}, "own"));
    ir::Instruction slice = derived(ir::Opcode::dynamic_slice, ir::make_shape(type, {1}), {constant, own}, "entry");
    slice.slice_sizes = {1};
    const ir::InstructionId entry = append(std::move(slice));
    moved.push_back(append(derived(ir::Opcode::reshape, instruction.shape, {entry}, "")));
  }
  for (ir::InstructionId& parameter : computation.parameters) parameter = moved[std::size_t(parameter)];
  computation.root = moved[std::size_t(computation.root)];
  computation.instructions = std::move(written);
}

ir::Module renumbered(ir::Module module, const DeviceNumbers& to, const DeviceNumbers& of_ids) {
  Renaming(module, to).run();
  for (ir::Computation& computation : module.computations) {
    const auto is_id = [](const ir::Instruction& i) { return i.opcode == ir::Opcode::partition_id; };
    if (std::ranges::any_of(computation.instructions, is_id)) look_up_partition_ids(computation, of_ids);
  }
  return module;
}

}  // namespace

DeviceNumbers device_numbers(const ir::Module& module) {
  DeviceNumbers found;
  std::int64_t copies = 0;
  for_each_tiled(module, [&](const ir::Sharding& sharding) {
    if (tile_digits(sharding) || !names_each_once(sharding.device_list(), module.partitions)) return;
    // The devices that hold one part have no order, so the list with the fewest of them says most.
    if (!found.empty() && copies <= copies_of(sharding)) return;
    found = sharding.device_list();
    copies = copies_of(sharding);
  });
  if (found.empty()) return found;
  const DeviceNumbers positions = inverse(found);
  bool all = true;
  for_each_tiled(module, [&](const ir::Sharding& sharding) {
    all = all && std::int64_t(sharding.device_list().size()) == module.partitions &&
          tile_digits(renamed(sharding, positions)).has_value();
  });
  return all ? found : DeviceNumbers{};
}

ir::Module by_position(ir::Module module, const DeviceNumbers& devices) {
  return renumbered(std::move(module), inverse(devices), devices);
}

ir::Module by_device(ir::Module module, const DeviceNumbers& devices) {
  return renumbered(std::move(module), devices, inverse(devices));
}

}  // namespace podsim::sw::spmd::mesh
