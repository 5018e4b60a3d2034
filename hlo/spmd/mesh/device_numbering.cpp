// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/device_numbering.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "hlo/device_groups.h"
#include "hlo/literal.h"
#include "hlo/spmd/mesh/device_order.h"

namespace podsim::hlo::spmd::mesh {
namespace {

/// Calls visit(sharding) for every sharding of a module that divides an array.
void for_each_tiled(const hlo::Module& module, const std::function<void(const hlo::Sharding&)>& visit) {
  std::unordered_map<const hlo::Sharding*, bool> seen;
  const std::function<void(const hlo::Sharding&)> walk = [&](const hlo::Sharding& sharding) {
    for (const hlo::Sharding& element : sharding.elements) walk(element);
    if (sharding.kind == hlo::Sharding::Kind::tiled) visit(sharding);
  };
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) {
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

std::int64_t copies_of(const hlo::Sharding& sharding) {
  return std::accumulate(sharding.tiles.begin() + sharding.rank(), sharding.tiles.end(), std::int64_t{1},
                         std::multiplies{});
}

hlo::Sharding renamed(const hlo::Sharding& sharding, const DeviceNumbers& to) {
  const auto rename = [&](std::int64_t device) {
    return device >= 0 && device < std::int64_t(to.size()) ? to[std::size_t(device)] : device;
  };
  hlo::Sharding made = sharding;
  for (hlo::Sharding& element : made.elements) element = renamed(element, to);
  made.device = sharding.kind == hlo::Sharding::Kind::maximal ? rename(sharding.device) : 0;
  if (sharding.kind != hlo::Sharding::Kind::tiled) return made;
  made.devices = sharding.device_list();
  std::ranges::transform(made.devices, made.devices.begin(), rename);
  made.iota.clear();
  made.permutation.clear();
  return made;
}

/// Numbers devices anew, by a table from each number to the next.
class Renaming {
 public:
  Renaming(hlo::Module& module, const DeviceNumbers& to) : module_(module), to_(to) {}

  void run() {
    for (hlo::Computation& computation : module_.computations) {
      for (hlo::Instruction& instruction : computation.instructions) {
        if (instruction.sharding) instruction.sharding = sharding(instruction.sharding);
        rename(instruction);
      }
    }
  }

 private:
  std::shared_ptr<const hlo::Sharding> sharding(const std::shared_ptr<const hlo::Sharding>& written) {
    auto& [kept, made] = shardings_[written.get()];
    if (!made) {
      kept = written;
      made = std::make_shared<const hlo::Sharding>(renamed(*written, to_));
    }
    return made;
  }

  std::int64_t device(std::int64_t id) const {
    const auto partitions = std::int64_t(to_.size());
    return id < 0 ? id : id / partitions * partitions + to_[std::size_t(id % partitions)];
  }

  /// Groups of replicas name no partitions.
  void rename(hlo::Instruction& instruction) const {
    if (!hlo::is_collective(instruction.opcode)) return;
    if (!instruction.participants->channel_id && !instruction.participants->use_global_device_ids) return;
    hlo::Participants& participants = instruction.participants.edit();
    if (participants.iota) {
      participants.groups = hlo::expand(*participants.iota);
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

  hlo::Module& module_;
  const DeviceNumbers& to_;
  /// By the written one, which is kept so that no other takes its address.
  std::unordered_map<const hlo::Sharding*,
                     std::pair<std::shared_ptr<const hlo::Sharding>, std::shared_ptr<const hlo::Sharding>>>
      shardings_;
};

/// Replaces every partition-id by its entry in a table.
void look_up_partition_ids(hlo::Computation& computation, const DeviceNumbers& table) {
  std::vector<hlo::Instruction> written;
  std::vector<hlo::InstructionId> moved;
  const auto append = [&](hlo::Instruction instruction) {
    written.push_back(std::move(instruction));
    return hlo::InstructionId(written.size()) - 1;
  };
  for (hlo::Instruction& instruction : computation.instructions) {
    for (hlo::InstructionId& operand : instruction.operands) operand = moved[std::size_t(operand)];
    if (instruction.opcode != hlo::Opcode::partition_id) {
      moved.push_back(append(std::move(instruction)));
      continue;
    }
    const auto derived = [&](hlo::Opcode opcode, hlo::Shape shape, std::vector<hlo::InstructionId> operands,
                             const std::string& what) {
      hlo::Instruction made;
      made.opcode = opcode;
      made.name = what.empty() ? instruction.name : instruction.name + "." + what;
      made.op_name = instruction.op_name;
      made.shape = std::move(shape);
      made.operands = std::move(operands);
      return made;
    };
    const hlo::ElementType type = instruction.shape.element_type;
    hlo::Instruction numbers =
        derived(hlo::Opcode::constant, hlo::make_shape(type, {std::int64_t(table.size())}), {}, "numbers");
    hlo::Literal literal = hlo::make_zeros(numbers.shape);
    std::ranges::copy(table, literal.values.begin());
    numbers.literal = std::make_shared<const hlo::Literal>(std::move(literal));
    const hlo::InstructionId constant = append(std::move(numbers));
    const hlo::InstructionId own = append(derived(hlo::Opcode::partition_id, instruction.shape, {}, "own"));
    hlo::Instruction slice = derived(hlo::Opcode::dynamic_slice, hlo::make_shape(type, {1}), {constant, own}, "entry");
    slice.slice_sizes = {1};
    const hlo::InstructionId entry = append(std::move(slice));
    moved.push_back(append(derived(hlo::Opcode::reshape, instruction.shape, {entry}, "")));
  }
  for (hlo::InstructionId& parameter : computation.parameters) parameter = moved[std::size_t(parameter)];
  computation.root = moved[std::size_t(computation.root)];
  computation.instructions = std::move(written);
}

hlo::Module renumbered(hlo::Module module, const DeviceNumbers& to, const DeviceNumbers& of_ids) {
  Renaming(module, to).run();
  for (hlo::Computation& computation : module.computations) {
    const auto is_id = [](const hlo::Instruction& i) { return i.opcode == hlo::Opcode::partition_id; };
    if (std::ranges::any_of(computation.instructions, is_id)) look_up_partition_ids(computation, of_ids);
  }
  return module;
}

}  // namespace

DeviceNumbers device_numbers(const hlo::Module& module) {
  DeviceNumbers found;
  std::int64_t copies = 0;
  for_each_tiled(module, [&](const hlo::Sharding& sharding) {
    if (tile_digits(sharding) || !names_each_once(sharding.device_list(), module.partitions)) return;
    // The devices that hold one part have no order, so the list with the fewest of them says most.
    if (!found.empty() && copies <= copies_of(sharding)) return;
    found = sharding.device_list();
    copies = copies_of(sharding);
  });
  if (found.empty()) return found;
  const DeviceNumbers positions = inverse(found);
  bool all = true;
  for_each_tiled(module, [&](const hlo::Sharding& sharding) {
    all = all && std::int64_t(sharding.device_list().size()) == module.partitions &&
          tile_digits(renamed(sharding, positions)).has_value();
  });
  return all ? found : DeviceNumbers{};
}

hlo::Module by_position(hlo::Module module, const DeviceNumbers& devices) {
  return renumbered(std::move(module), inverse(devices), devices);
}

hlo::Module by_device(hlo::Module module, const DeviceNumbers& devices) {
  return renumbered(std::move(module), devices, inverse(devices));
}

}  // namespace podsim::hlo::spmd::mesh
