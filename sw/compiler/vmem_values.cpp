// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/vmem_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sw/compiler/memory_account.h"
#include "sw/compiler/tiles/op_work.h"

namespace podsim::sw::compiler {
namespace {

constexpr int vmem = 1;  ///< S(1)

struct Resident {
  int array = -1;
  ir::InstructionId begin = 0, end = 0;
  base::Bytes bytes;
  double accesses = 0;  ///< reads and writes per position of its life
};

/// The free places of one memory over the positions of a schedule.
class Places {
 public:
  explicit Places(base::Bytes size) : size_(size) {}

  /// Takes the lowest place that is free throughout, if there is one.
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
    ir::InstructionId begin, end;
    base::Bytes offset, bytes;
  };
  base::Bytes size_;
  std::vector<Place> places_;
};

class Placer {
 public:
  Placer(ir::Module& module, base::Bytes size, std::span<const ir::Donation> donations)
      : module_(module),
        size_(size),
        live_(find_liveness(module, donations)),
        callers_(module.computations.size()),
        names_(live_.arrays.size()) {
    for (const ir::Computation& computation : module.computations) {
      for (const ir::Instruction& instruction : computation.instructions) {
        for (const ir::ComputationId called : instruction.called) ++callers_[std::size_t(called)];
      }
    }
    for (ir::InstructionId id = 0; id < ir::InstructionId(live_.array_of.size()); ++id) {
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
    Places places(size_);
    for (const Resident& resident : residents) {
      if (places.take(resident)) place(resident.array);
    }
  }

 private:
  ir::Computation& entry() { return module_.computations[std::size_t(module_.entry)]; }

  Resident resident_of(int array) const {
    const LiveArray& life = live_.arrays[std::size_t(array)];
    const double positions = double(life.last_use - life.definition + 1);
    return {array, life.definition, life.last_use, life.bytes, double(1 + life.readers.size()) / positions};
  }

  bool may_be_placed(int array) {
    const LiveArray& life = live_.arrays[std::size_t(array)];
    if (life.bytes <= base::Bytes(0) || life.bytes > size_ || names_[std::size_t(array)].empty()) return false;
    if (life.readers.empty() || life.last_use >= ir::InstructionId(entry().instructions.size())) return false;
    const auto is_alone = [&](ir::InstructionId id) { return has_its_own_body(entry()[id]); };
    const auto reads = [&](ir::InstructionId id) {
      return renames(id) || (is_op(id) && is_alone(id) && updated_operand(module_, entry()[id]) < 0);
    };
    return is_op(life.origin) && is_alone(life.origin) && updated_operand(module_, entry()[life.origin]) < 0 &&
           element_is_known(array) && std::ranges::all_of(life.readers, reads);
  }

  bool is_op(ir::InstructionId id) {
    const ir::Instruction& op = entry()[id];
    return op.phase == ir::AsyncPhase::none && op.opcode != ir::Opcode::custom_call && tiles::is_core_op(entry(), id);
  }

  /// True for names of an array that already has one.
  bool renames(ir::InstructionId id) {
    const ir::Opcode opcode = entry()[id].opcode;
    return opcode == ir::Opcode::get_tuple_element || opcode == ir::Opcode::bitcast || tiles::keeps_places(entry(), id);
  }

  bool has_its_own_body(const ir::Instruction& op) const {
    return std::ranges::all_of(op.called,
                               [&](ir::ComputationId called) { return callers_[std::size_t(called)] == 1; }) ||
           op.opcode != ir::Opcode::fusion;
  }

  /// The element of the origin's results that an array is; -1 for the only one.
  std::int64_t element_of(int array) {
    const ir::InstructionId origin = live_.arrays[std::size_t(array)].origin;
    for (const ir::InstructionId name : names_[std::size_t(array)]) {
      const ir::Instruction& instruction = entry()[name];
      if (instruction.opcode == ir::Opcode::get_tuple_element && instruction.operands[0] == origin)
        return instruction.index;
    }
    return -1;
  }

  bool element_is_known(int array) {
    const ir::Instruction& origin = entry()[live_.arrays[std::size_t(array)].origin];
    if (!origin.shape.is_tuple()) return true;
    return element_of(array) >= 0 &&
           (origin.opcode != ir::Opcode::fusion || body_of(origin)[body_of(origin).root].opcode == ir::Opcode::tuple);
  }

  ir::Computation& body_of(const ir::Instruction& fusion) {
    return module_.computations[std::size_t(fusion.called[0])];
  }

  void place(int array) {
    const LiveArray& life = live_.arrays[std::size_t(array)];
    place_result(entry().instructions[std::size_t(life.origin)], element_of(array));
    for (const ir::InstructionId name : names_[std::size_t(array)]) {
      if (name != life.origin) entry().instructions[std::size_t(name)].shape.memory_space = vmem;
    }
    for (const ir::InstructionId reader : life.readers) {
      const ir::Instruction& op = entry()[reader];
      if (op.opcode != ir::Opcode::fusion) continue;
      ir::Computation& body = body_of(op);
      for (std::size_t k = 0; k < op.operands.size(); ++k) {
        if (live_.array_of[std::size_t(op.operands[k])] != array) continue;
        body.instructions[std::size_t(body.parameters[k])].shape.memory_space = vmem;
      }
    }
  }

  void place_result(ir::Instruction& origin, std::int64_t element) {
    (element < 0 ? origin.shape : origin.shape.tuple_shapes[std::size_t(element)]).memory_space = vmem;
    if (origin.opcode != ir::Opcode::fusion) return;
    ir::Computation& body = body_of(origin);
    ir::Instruction& root = body.instructions[std::size_t(body.root)];
    if (element >= 0) {
      root.shape.tuple_shapes[std::size_t(element)].memory_space = vmem;
      body.instructions[std::size_t(root.operands[std::size_t(element)])].shape.memory_space = vmem;
    } else {
      root.shape.memory_space = vmem;
    }
  }

  ir::Module& module_;
  base::Bytes size_;
  Liveness live_;
  std::vector<int> callers_;                           ///< by computation
  std::vector<std::vector<ir::InstructionId>> names_;  ///< by array
};

}  // namespace

ir::Module place_values_in_vmem(ir::Module module, const hw::Machine& machine,
                                std::span<const ir::Donation> donations) {
  if (machine.compiler.vmem_for_values > base::Bytes(0) && !module.scheduled) {
    Placer(module, machine.compiler.vmem_for_values, donations).run();
  }
  return module;
}

}  // namespace podsim::sw::compiler
