// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/placed_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hw/memory_levels.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/tiles/core_op.h"

namespace podsim::sw::compiler {
namespace {

struct Resident {
  int array = -1;
  hlo::InstructionId begin = 0, end = 0;
  base::Bytes bytes;
  double accesses = 0;  ///< reads and writes per position of its life
};

/// The free ranges of one memory over the positions of a schedule.
class Places {
 public:
  explicit Places(base::Bytes size) : size_(size) {}

  /// Takes the lowest range that is free throughout, if there is one.
  bool take(const Resident& wanted) {
    std::vector<std::pair<base::Bytes, base::Bytes>> taken;  // begin and end, in bytes
    for (const Place& place : places_) {
      if (place.begin <= wanted.end && wanted.begin <= place.end) {
        taken.emplace_back(place.offset, place.offset + place.bytes);
      }
    }
    std::ranges::sort(taken);
    base::Bytes offset{};
    for (const auto& [begin, end] : taken) {
      if (offset + wanted.bytes <= begin) break;
      offset = std::max(offset, end);
    }
    if (offset + wanted.bytes > size_) return false;
    places_.push_back({wanted.begin, wanted.end, offset, wanted.bytes});
    return true;
  }

 private:
  struct Place {
    hlo::InstructionId begin, end;
    base::Bytes offset, bytes;
  };
  base::Bytes size_;
  std::vector<Place> places_;
};

/// A memory for values.
struct Room {
  int memory = 0;  ///< hw/memory_levels.h
  Places places;
};

std::vector<Room> rooms_of(const TargetMachine& machine) {
  std::vector<Room> rooms;
  if (machine.compiler.vmem_for_values > base::Bytes(0)) {
    rooms.push_back({hw::level::vmem, Places(machine.compiler.vmem_for_values)});
  }
  for (int number = hw::level::first_declared; const hw::parts::level::Parameters& level : machine.levels) {
    const bool is_fast =
        level.core_read_rate() >= machine.hbm.read_rate() && level.core_write_rate() >= machine.hbm.write_rate();
    if (is_fast) rooms.push_back({number, Places(level.core_capacity())});
    ++number;
  }
  return rooms;
}

class Placer {
 public:
  Placer(hlo::Module& module, std::vector<Room> rooms, std::span<const hlo::Donation> donations)
      : module_(module),
        rooms_(std::move(rooms)),
        live_(find_liveness(module, donations)),
        callers_(module.computations.size()),
        names_(live_.arrays.size()) {
    for (const hlo::Computation& computation : module.computations) {
      for (const hlo::Instruction& instruction : computation.instructions) {
        for (const hlo::ComputationId called : instruction.called) ++callers_[std::size_t(called)];
      }
    }
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(live_.array_of.size()); ++id) {
      const int array = live_.array_of[std::size_t(id)];
      if (array >= 0) names_[std::size_t(array)].push_back(id);
    }
  }

  void run() {
    std::vector<Resident> residents;
    for (int array = 0; array < int(live_.arrays.size()); ++array) {
      if (may_be_placed(array)) residents.push_back(resident_of(array));
    }
    std::ranges::stable_sort(residents, std::ranges::greater(), &Resident::accesses);
    for (const Resident& resident : residents) {
      const auto room = std::ranges::find_if(rooms_, [&](Room& each) { return each.places.take(resident); });
      if (room != rooms_.end()) place(resident.array, room->memory);
    }
  }

 private:
  hlo::Computation& entry() { return module_.computations[std::size_t(module_.entry)]; }

  Resident resident_of(int array) const {
    const LiveArray& life = live_.arrays[std::size_t(array)];
    const double positions = double(life.last_use - life.definition + 1);
    return {array, life.definition, life.last_use, life.bytes, double(1 + life.readers.size()) / positions};
  }

  bool may_be_placed(int array) {
    const LiveArray& life = live_.arrays[std::size_t(array)];
    if (life.bytes <= base::Bytes(0) || names_[std::size_t(array)].empty()) return false;
    if (life.readers.empty() || life.last_use >= hlo::InstructionId(entry().instructions.size())) return false;
    const auto is_alone = [&](hlo::InstructionId id) { return has_its_own_body(entry()[id]); };
    const auto reads = [&](hlo::InstructionId id) {
      return renames(id) || (is_op(id) && is_alone(id) && updated_operand(module_, entry()[id]) < 0);
    };
    return is_op(life.origin) && is_alone(life.origin) && updated_operand(module_, entry()[life.origin]) < 0 &&
           element_is_known(array) && std::ranges::all_of(life.readers, reads);
  }

  bool is_op(hlo::InstructionId id) {
    const hlo::Instruction& op = entry()[id];
    return op.phase == hlo::AsyncPhase::none && op.opcode != hlo::Opcode::custom_call && tiles::is_core_op(entry(), id);
  }

  /// True for names of an array that already has one.
  bool renames(hlo::InstructionId id) {
    const hlo::Opcode opcode = entry()[id].opcode;
    return opcode == hlo::Opcode::get_tuple_element || opcode == hlo::Opcode::bitcast ||
           tiles::keeps_places(entry(), id);
  }

  bool has_its_own_body(const hlo::Instruction& op) const {
    return std::ranges::all_of(op.called,
                               [&](hlo::ComputationId called) { return callers_[std::size_t(called)] == 1; }) ||
           op.opcode != hlo::Opcode::fusion;
  }

  /// The element of the origin's results that an array is; -1 for the only one.
  std::int64_t element_of(int array) {
    const hlo::InstructionId origin = live_.arrays[std::size_t(array)].origin;
    for (const hlo::InstructionId name : names_[std::size_t(array)]) {
      const hlo::Instruction& instruction = entry()[name];
      if (instruction.opcode == hlo::Opcode::get_tuple_element && instruction.operands[0] == origin)
        return instruction.index;
    }
    return -1;
  }

  bool element_is_known(int array) {
    const hlo::Instruction& origin = entry()[live_.arrays[std::size_t(array)].origin];
    if (!origin.shape.is_tuple()) return true;
    return element_of(array) >= 0 &&
           (origin.opcode != hlo::Opcode::fusion || body_of(origin)[body_of(origin).root].opcode == hlo::Opcode::tuple);
  }

  hlo::Computation& body_of(const hlo::Instruction& fusion) {
    return module_.computations[std::size_t(fusion.called[0])];
  }

  void place(int array, int memory) {
    const LiveArray& life = live_.arrays[std::size_t(array)];
    place_result(entry().instructions[std::size_t(life.origin)], element_of(array), memory);
    for (const hlo::InstructionId name : names_[std::size_t(array)]) {
      if (name != life.origin) entry().instructions[std::size_t(name)].shape.memory_space = memory;
    }
    for (const hlo::InstructionId reader : life.readers) {
      const hlo::Instruction& op = entry()[reader];
      if (op.opcode != hlo::Opcode::fusion) continue;
      hlo::Computation& body = body_of(op);
      for (std::size_t k = 0; k < op.operands.size(); ++k) {
        if (live_.array_of[std::size_t(op.operands[k])] != array) continue;
        body.instructions[std::size_t(body.parameters[k])].shape.memory_space = memory;
      }
    }
  }

  void place_result(hlo::Instruction& origin, std::int64_t element, int memory) {
    (element < 0 ? origin.shape : origin.shape.tuple_shapes[std::size_t(element)]).memory_space = memory;
    if (origin.opcode != hlo::Opcode::fusion) return;
    hlo::Computation& body = body_of(origin);
    hlo::Instruction& root = body.instructions[std::size_t(body.root)];
    if (element >= 0) {
      root.shape.tuple_shapes[std::size_t(element)].memory_space = memory;
      body.instructions[std::size_t(root.operands[std::size_t(element)])].shape.memory_space = memory;
    } else {
      root.shape.memory_space = memory;
    }
  }

  hlo::Module& module_;
  std::vector<Room> rooms_;
  Liveness live_;
  std::vector<int> callers_;                            ///< by computation
  std::vector<std::vector<hlo::InstructionId>> names_;  ///< by array
};

}  // namespace

bool has_room_for_values(const TargetMachine& machine) { return !rooms_of(machine).empty(); }

hlo::Module place_values(hlo::Module module, const TargetMachine& machine, std::span<const hlo::Donation> donations) {
  std::vector<Room> rooms = rooms_of(machine);
  if (!rooms.empty() && !module.scheduled) Placer(module, std::move(rooms), donations).run();
  return module;
}

}  // namespace podsim::sw::compiler
