// SPDX-License-Identifier: Apache-2.0
#include "sw/memory_account.h"

#include <algorithm>

#include <fmt/format.h>

namespace podsim::sw {

namespace {

struct Buffer {
  InstructionId origin = 0;      // the instruction it is named after
  InstructionId definition = 0;  // live from here
  InstructionId last_use = 0;
  InstructionId last_reader = 0;  // the last instruction that reads it, through aliases too; its own where none does
  base::Bytes bytes{};
  std::string suffix;  // "{2}" for element 2 of a tuple
};

/// Which buffer holds an array, or the values of a tuple's elements.
struct Place {
  int buffer = -1;
  std::vector<Place> elements;
};

/// Whether an instruction writes into the memory of one of its operands; its number, else -1.
int updated_operand(const Module& module, const Instruction& instruction) {
  if (instruction.opcode == Opcode::dynamic_update_slice || instruction.opcode == Opcode::scatter) return 0;
  if (instruction.opcode != Opcode::fusion) return -1;
  const Computation& body = module.computations[instruction.called.front()];
  const Instruction* root = &body[body.root];
  while (root->opcode == Opcode::bitcast || root->opcode == Opcode::reshape) root = &body[root->operands[0]];
  if (updated_operand(module, *root) != 0) return -1;
  const Instruction* updated = &body[root->operands[0]];
  while (updated->opcode == Opcode::bitcast || updated->opcode == Opcode::reshape)
    updated = &body[updated->operands[0]];
  return updated->opcode == Opcode::parameter ? int(updated->index) : -1;
}

bool names_its_operand(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::bitcast:
    case Opcode::opt_barrier:
    case Opcode::add_dependency:
    case Opcode::domain:
    case Opcode::while_loop:
      return true;
    default:
      return instruction.phase == AsyncPhase::done;
  }
}

class Account {
 public:
  Account(const Module& module, const Computation& entry) : module_(module), entry_(entry) {
    for (InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
      if (reads_memory(entry[id])) {
        for (InstructionId operand : entry[id].operands) read(places_[operand], id);
      }
      places_.push_back(place(entry[id], id));
      add_temporaries(id);
    }
    for (InstructionId parameter : entry.parameters) stay_from_start(places_[parameter]);
    use(places_[entry.root], end());
  }

  void donate(const Donation& donation) {
    if (donation.parameter >= std::int64_t(entry_.parameters.size())) return;
    const InstructionId parameter = entry_.parameters[donation.parameter];
    const int output = buffer_at(places_[entry_.root], donation.output);
    const int replaced = buffer_at(places_[parameter], donation.element);
    if (output < 0 || replaced < 0 || output == replaced) return;
    Buffer& buffer = buffers_[output];
    if (std::max(parameter, buffers_[replaced].last_reader) <= buffer.definition) buffer.bytes = {};
  }

  /// The body of a loop hands every element of its state on.
  void donate_state() {
    const Place& root = places_[entry_.root];
    for (std::size_t i = 0; i < root.elements.size(); ++i) donate({std::int64_t(i), 0, std::int64_t(i)});
  }

  /// Without the schedule.
  MemoryAccount summary() const {
    MemoryAccount account;
    for (InstructionId parameter : entry_.parameters) account.parameters += bytes_in_hbm(entry_[parameter].shape);
    const std::vector<base::Bytes> live = live_bytes();
    for (InstructionId id = 0; id < end(); ++id) {
      if (live[id] <= account.peak) continue;
      account.peak = live[id];
      account.peak_position = id;
    }
    account.largest_at_peak = largest_at(account.peak_position);
    return account;
  }

  std::vector<MemoryAccount::Moment> schedule() const {
    const std::vector<base::Bytes> live = live_bytes();
    std::vector<MemoryAccount::Moment> moments;
    for (InstructionId id = 0; id < end(); ++id) moments.push_back({entry_[id].name, entry_[id].op_name, live[id]});
    return moments;
  }

 private:
  InstructionId end() const { return int(entry_.instructions.size()); }

  /// By position in the schedule.
  std::vector<base::Bytes> live_bytes() const {
    std::vector<base::Bytes> change(entry_.instructions.size() + 2);
    for (const Buffer& buffer : buffers_) {
      change[buffer.definition] += buffer.bytes;
      change[buffer.last_use + 1] -= buffer.bytes;
    }
    std::vector<base::Bytes> live;
    for (InstructionId id = 0; id < end(); ++id) live.push_back((id > 0 ? live.back() : base::Bytes(0)) + change[id]);
    return live;
  }

  /// Handing memory on, in a tuple or under another name, is not reading it.
  static bool reads_memory(const Instruction& instruction) {
    return instruction.opcode != Opcode::tuple && instruction.opcode != Opcode::get_tuple_element &&
           instruction.opcode != Opcode::bitcast;
  }

  Place place(const Instruction& instruction, InstructionId id) {
    if (names_its_operand(instruction)) return Place(places_[instruction.operands[0]]);
    if (const int updated = updated_operand(module_, instruction); updated >= 0) {
      const Place& operand = places_[instruction.operands[std::size_t(updated)]];
      if (!instruction.shape.is_tuple() && operand.buffer >= 0) return Place(operand);
    }
    switch (instruction.opcode) {
      case Opcode::tuple: {
        Place tuple;
        for (InstructionId operand : instruction.operands) tuple.elements.push_back(places_[operand]);
        return tuple;
      }
      case Opcode::get_tuple_element: {
        const Place& tuple = places_[instruction.operands[0]];
        if (std::size_t(instruction.index) < tuple.elements.size()) return Place(tuple.elements[instruction.index]);
        break;
      }
      case Opcode::reshape:
        if (padded_bytes(instruction.shape) == padded_bytes(entry_[instruction.operands[0]].shape)) {
          return Place(places_[instruction.operands[0]]);
        }
        break;
      default:
        break;
    }
    return new_place(instruction.shape, id, "");
  }

  Place new_place(const Shape& shape, InstructionId id, const std::string& suffix) {
    Place result;
    if (!shape.is_tuple()) {
      result.buffer = int(buffers_.size());
      buffers_.push_back({id, id, id, id, bytes_in_hbm(shape), suffix});
    }
    for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
      result.elements.push_back(new_place(shape.tuple_shapes[i], id, fmt::format("{}{{{}}}", suffix, i)));
    }
    return result;
  }

  static base::Bytes bytes_in_hbm(const Shape& shape) {
    if (!shape.is_tuple()) return shape.memory_space == 0 ? padded_bytes(shape) : base::Bytes(0);
    base::Bytes sum;
    for (const Shape& element : shape.tuple_shapes) sum += bytes_in_hbm(element);
    return sum;
  }

  /// What the computations that an instruction executes need beyond their parameters.
  void add_temporaries(InstructionId id) {
    const Instruction& instruction = entry_[id];
    const bool loop = instruction.opcode == Opcode::while_loop;
    if (!loop && instruction.opcode != Opcode::conditional && instruction.opcode != Opcode::call) return;
    if (instruction.phase == AsyncPhase::done) return;
    base::Bytes most;
    for (ComputationId called : instruction.called) {
      Account account(module_, module_.computations[called]);
      if (loop) account.donate_state();
      const MemoryAccount inner = account.summary();
      most = std::max(most, inner.peak - inner.parameters);
    }
    if (most > base::Bytes(0)) buffers_.push_back({id, id, id, id, most, " (temporaries)"});
  }

  /// Of an element of a value, or of the value where it is no tuple.
  static int buffer_at(const Place& value, std::int64_t element) {
    if (value.elements.empty()) return value.buffer;
    return std::size_t(element) < value.elements.size() ? value.elements[std::size_t(element)].buffer : -1;
  }

  void read(const Place& value, InstructionId id) {
    if (value.buffer >= 0) buffers_[value.buffer].last_reader = id;
    if (value.buffer >= 0) buffers_[value.buffer].last_use = std::max(buffers_[value.buffer].last_use, id);
    for (const Place& element : value.elements) read(element, id);
  }

  void use(const Place& value, InstructionId id) {
    if (value.buffer >= 0) buffers_[value.buffer].last_use = std::max(buffers_[value.buffer].last_use, id);
    for (const Place& element : value.elements) use(element, id);
  }

  void stay_from_start(const Place& value) {
    if (value.buffer >= 0) buffers_[value.buffer].definition = 0;
    use(value, end());
    for (const Place& element : value.elements) stay_from_start(element);
  }

  std::vector<MemoryAccount::Buffer> largest_at(InstructionId position) const {
    std::vector<const Buffer*> live;
    for (const Buffer& buffer : buffers_) {
      if (buffer.definition <= position && position <= buffer.last_use) live.push_back(&buffer);
    }
    std::ranges::stable_sort(live, std::ranges::greater{}, [](const Buffer* buffer) { return buffer->bytes; });
    live.resize(std::min<std::size_t>(live.size(), 10));
    std::vector<MemoryAccount::Buffer> result;
    for (const Buffer* buffer : live) {
      const Instruction& instruction = entry_[buffer->origin];
      result.push_back({instruction.name + buffer->suffix, instruction.op_name, buffer->bytes});
    }
    return result;
  }

  const Module& module_;
  const Computation& entry_;
  std::vector<Buffer> buffers_;
  std::vector<Place> places_;
};

}  // namespace

MemoryAccount account_memory(const Module& module, std::span<const Donation> donations) {
  Account account(module, module.entry_computation());
  for (const Donation& donation : donations) account.donate(donation);
  MemoryAccount result = account.summary();
  result.schedule = account.schedule();
  return result;
}

}  // namespace podsim::sw
