// SPDX-License-Identifier: Apache-2.0
#include "sw/memory_account.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace podsim::sw {

namespace {

struct Buffer {
  InstructionId origin = 0;      // the instruction it is named after
  InstructionId definition = 0;  // live from here
  InstructionId last_use = 0;
  base::Bytes bytes{};
  std::string suffix;  // "{2}" for element 2 of a tuple
};

/// Which buffer holds an array, or the values of a tuple's elements.
struct Place {
  int buffer = -1;
  std::vector<Place> elements;
};

class Account {
 public:
  explicit Account(const Computation& entry) : entry_(entry) {
    for (InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
      if (reads_memory(entry[id])) {
        for (InstructionId operand : entry[id].operands) use(places_[operand], id);
      }
      places_.push_back(place(entry[id], id));
    }
    for (InstructionId parameter : entry.parameters) stay_from_start(places_[parameter]);
    use(places_[entry.root], end());
  }

  void donate(const Donation& donation) {
    const Place& root = places_[entry_.root];
    assert(donation.output < std::int64_t(root.elements.size()) &&
           donation.parameter < std::int64_t(entry_.parameters.size()));
    const Place& output = root.elements[donation.output];
    const InstructionId parameter = entry_.parameters[donation.parameter];
    if (output.buffer < 0 || output.buffer == places_[parameter].buffer) return;
    Buffer& buffer = buffers_[output.buffer];
    if (last_reader(parameter) <= buffer.definition) buffer.bytes = {};
  }

  MemoryAccount summary() const {
    MemoryAccount account;
    for (InstructionId parameter : entry_.parameters) account.parameters += padded_bytes(entry_[parameter].shape);
    std::vector<base::Bytes> change(entry_.instructions.size() + 2);
    for (const Buffer& buffer : buffers_) {
      change[buffer.definition] += buffer.bytes;
      change[buffer.last_use + 1] -= buffer.bytes;
    }
    base::Bytes live;
    for (InstructionId id = 0; id < end(); ++id) {
      live += change[id];
      if (live > account.peak) {
        account.peak = live;
        account.peak_position = id;
      }
    }
    account.largest_at_peak = largest_at(account.peak_position);
    return account;
  }

 private:
  InstructionId end() const { return int(entry_.instructions.size()); }

  /// Handing memory on in a tuple, or taking an element out, is not reading it.
  static bool reads_memory(const Instruction& instruction) {
    return instruction.opcode != Opcode::tuple && instruction.opcode != Opcode::get_tuple_element;
  }

  Place place(const Instruction& instruction, InstructionId id) {
    switch (instruction.opcode) {
      case Opcode::tuple: {
        Place tuple;
        for (InstructionId operand : instruction.operands) tuple.elements.push_back(places_[operand]);
        return tuple;
      }
      case Opcode::get_tuple_element:
        return Place(places_[instruction.operands[0]].elements[instruction.index]);
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
      buffers_.push_back({id, id, id, padded_bytes(shape), suffix});
    }
    for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
      result.elements.push_back(new_place(shape.tuple_shapes[i], id, fmt::format("{}{{{}}}", suffix, i)));
    }
    return result;
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

  /// The last instruction that reads the memory of a parameter, through aliases too.
  InstructionId last_reader(InstructionId parameter) const {
    InstructionId last = parameter;
    for (InstructionId id = parameter; id < end(); ++id) {
      if (!reads_memory(entry_[id])) continue;
      for (InstructionId operand : entry_[id].operands) {
        if (places_[operand].buffer >= 0 && places_[operand].buffer == places_[parameter].buffer) last = id;
      }
    }
    return last;
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

  const Computation& entry_;
  std::vector<Buffer> buffers_;
  std::vector<Place> places_;
};

}  // namespace

MemoryAccount account_memory(const Module& module, std::span<const Donation> donations) {
  Account account(module.entry_computation());
  for (const Donation& donation : donations) account.donate(donation);
  return account.summary();
}

}  // namespace podsim::sw
