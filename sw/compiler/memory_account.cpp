// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/memory_account.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "hw/memory_levels.h"
#include "sw/compiler/core_view.h"
#include "sw/compiler/heap.h"
#include "sw/compiler/tiles/core_op.h"

namespace podsim::sw::compiler {

int updated_operand(const hlo::Module& module, const hlo::Instruction& instruction) {
  if (instruction.opcode == hlo::Opcode::dynamic_update_slice || instruction.opcode == hlo::Opcode::scatter) return 0;
  if (instruction.opcode != hlo::Opcode::fusion || instruction.called.empty()) return -1;  // or a fusion-done
  const hlo::Computation& body = module.computations[instruction.called.front()];
  const hlo::Instruction* root = &body[body.root];
  while (root->opcode == hlo::Opcode::bitcast || root->opcode == hlo::Opcode::reshape) root = &body[root->operands[0]];
  if (updated_operand(module, *root) != 0) return -1;
  const hlo::Instruction* updated = &body[root->operands[0]];
  while (updated->opcode == hlo::Opcode::bitcast || updated->opcode == hlo::Opcode::reshape)
    updated = &body[updated->operands[0]];
  return updated->opcode == hlo::Opcode::parameter ? int(updated->index) : -1;
}

namespace {

/// Entries in the lists of an account.
constexpr std::size_t max_listed = 10;

struct Buffer {
  hlo::InstructionId origin = 0;      // the instruction that names it
  hlo::InstructionId definition = 0;  // live from here
  hlo::InstructionId last_use = 0;
  base::Bytes bytes{};
  std::string suffix;                       // "{2}" for element 2 of a tuple
  std::vector<hlo::InstructionId> readers;  // also through aliases, in ascending order
  const hlo::Shape* shape = nullptr;        // none if it stands for several arrays
};

/// The buffer of an array, or the buffers of a tuple's elements.
struct BufferTree {
  int buffer = -1;
  std::vector<BufferTree> elements;
};

bool names_its_operand(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::bitcast:
    case hlo::Opcode::opt_barrier:
    case hlo::Opcode::add_dependency:
    case hlo::Opcode::domain:
    case hlo::Opcode::while_loop:
      return true;
    default:
      return instruction.phase == hlo::AsyncPhase::done;
  }
}

/// Bytes of a value in the memory of this number.
base::Bytes bytes_in(int memory, const hlo::Shape& shape) {
  if (!shape.is_tuple()) return shape.memory_space == memory ? hlo::padded_bytes(shape) : base::Bytes(0);
  base::Bytes sum;
  for (const hlo::Shape& element : shape.tuple_shapes) sum += bytes_in(memory, element);
  return sum;
}

class Account {
 public:
  Account(const hlo::Module& module, const hlo::Computation& entry, int memory = hw::level::hbm,
          const CoreView* view = nullptr)
      : module_(module), entry_(entry), memory_(memory), view_(view) {
    for (hlo::InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
      if (const int branch = branch_taken(id); branch >= 0) {
        read_in_branch(id, branch);
      } else if (reads_memory(id)) {
        for (hlo::InstructionId operand : entry[id].operands) read(trees_[operand], id);
      }
      if (entry[id].phase == hlo::AsyncPhase::done) {
        for (hlo::InstructionId operand : entry[entry[id].operands[0]].operands) read(trees_[operand], id);
      }
      trees_.push_back(place(entry[id], id));
      add_temporaries(id);
    }
    for (hlo::InstructionId parameter : entry.parameters) {
      if (is_unread(parameter)) {
        buffers_[std::size_t(trees_[parameter].buffer)].bytes = {};
        continue;
      }
      stay_from_start(trees_[parameter]);
    }
    use(trees_[entry.root], end());
  }

  void donate(const hlo::Donation& donation) {
    if (donation.parameter >= std::int64_t(entry_.parameters.size())) return;
    const hlo::InstructionId parameter = entry_.parameters[donation.parameter];
    const int output = buffer_at(trees_[entry_.root], donation.output);
    const int replaced = buffer_at(trees_[parameter], donation.element);
    if (output < 0 || replaced < 0 || output == replaced) return;
    Buffer& buffer = buffers_[output];
    const std::vector<hlo::InstructionId>& readers = buffers_[replaced].readers;
    if (std::max(parameter, readers.empty() ? 0 : readers.back()) <= buffer.definition) buffer.bytes = {};
  }

  /// Accounts the elements of a loop's state as donated: the body passes on every element.
  void donate_state() {
    const BufferTree& root = trees_[entry_.root];
    for (std::size_t i = 0; i < root.elements.size(); ++i) donate({std::int64_t(i), 0, std::int64_t(i)});
  }

  /// Accounts the results as memory of the caller.
  void give_results() {
    for (const BufferTree& element : trees_[entry_.root].elements) {
      if (element.buffer < 0) continue;
      Buffer& buffer = buffers_[std::size_t(element.buffer)];
      if (entry_[buffer.origin].opcode != hlo::Opcode::parameter) buffer.bytes = {};
    }
  }

  /// The account without its schedule.
  MemoryAccount summary() const {
    MemoryAccount account;
    for (hlo::InstructionId parameter : entry_.parameters) {
      if (is_unread(parameter)) {
        account.unread.push_back(entry_[parameter].index);
      } else {
        account.arguments += bytes_in(memory_, entry_[parameter].shape);
      }
    }
    const std::vector<base::Bytes> live = live_bytes();
    for (hlo::InstructionId id = 0; id < end(); ++id) {
      if (live[id] <= account.peak) continue;
      account.peak = live[id];
      account.peak_position = id;
    }
    account.largest_at_peak = largest_at(account.peak_position);
    return account;
  }

  /// Adds what padding takes at the peak.
  void add_padding(MemoryAccount& account) const {
    std::map<std::string, MemoryAccount::Padded> by_shape;
    for (const Buffer* buffer : live_at(account.peak_position)) {
      if (buffer->shape == nullptr || buffer->bytes <= hlo::logical_bytes(*buffer->shape)) continue;
      const base::Bytes elements = hlo::logical_bytes(*buffer->shape);
      account.padding_at_peak += buffer->bytes - elements;
      std::string text = hlo::to_string(*buffer->shape);
      MemoryAccount::Padded& padded = by_shape[text];
      padded.shape = std::move(text);
      padded.arrays += 1;
      padded.bytes += buffer->bytes;
      padded.elements += elements;
    }
    for (auto& [text, padded] : by_shape) account.padded_at_peak.push_back(std::move(padded));
    std::ranges::stable_sort(account.padded_at_peak, std::ranges::greater{},
                             [](const MemoryAccount::Padded& padded) { return padded.bytes - padded.elements; });
    if (account.padded_at_peak.size() > max_listed) account.padded_at_peak.resize(max_listed);
  }

  Liveness liveness() const {
    Liveness result;
    for (const Buffer& buffer : buffers_) {
      result.arrays.push_back({buffer.origin, buffer.definition, buffer.last_use, buffer.bytes, buffer.readers});
    }
    for (const BufferTree& tree : trees_) result.array_of.push_back(tree.buffer);
    result.live = live_bytes();
    return result;
  }

  /// Adds the schedule and the locations of all arrays in a heap.
  void add_schedule(MemoryAccount& account) const {
    const std::vector<base::Bytes> live = live_bytes();
    for (hlo::InstructionId id = 0; id < end(); ++id) {
      account.schedule.push_back({entry_[id].name, entry_[id].op_name, live[id], {}});
    }
    std::vector<HeapRequest> requests;
    for (const Buffer& buffer : buffers_) requests.push_back({buffer.definition, buffer.last_use, buffer.bytes});
    const Heap heap = place_in_heap(requests);
    account.heap = heap.size;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].bytes == base::Bytes(0)) continue;
      account.schedule[std::size_t(buffers_[i].origin)].places.push_back(
          {heap.offsets[i], buffers_[i].bytes, buffers_[i].definition, std::min(buffers_[i].last_use, end() - 1)});
    }
  }

 private:
  hlo::InstructionId end() const { return int(entry_.instructions.size()); }

  /// Live memory by position in the schedule.
  std::vector<base::Bytes> live_bytes() const {
    std::vector<base::Bytes> change(entry_.instructions.size() + 2);
    for (const Buffer& buffer : buffers_) {
      change[buffer.definition] += buffer.bytes;
      change[buffer.last_use + 1] -= buffer.bytes;
    }
    std::vector<base::Bytes> live;
    for (hlo::InstructionId id = 0; id < end(); ++id)
      live.push_back((id > 0 ? live.back() : base::Bytes(0)) + change[id]);
    return live;
  }

  /// The branch that the viewed core takes of a conditional, -1 if it is none or may be any.
  int branch_taken(hlo::InstructionId id) const {
    if (view_ == nullptr) return -1;
    const auto found = view_->branch_of.find(id);
    return found == view_->branch_of.end() ? -1 : found->second;
  }

  /// The operand of a branch, whose elements it may name.
  const BufferTree& branch_operand(hlo::InstructionId id, int branch) const {
    return trees_[std::size_t(entry_[id].operands[std::size_t(branch) + 1])];
  }

  const BranchUse& use_of(hlo::ComputationId branch) {
    const auto [found, inserted] = uses_.try_emplace(branch);
    if (inserted) found->second = use_of_branch(module_.computations[std::size_t(branch)]);
    return found->second;
  }

  void read_in_branch(hlo::InstructionId id, int branch) {
    const BranchUse& used = use_of(entry_[id].called[std::size_t(branch)]);
    const BufferTree& operand = branch_operand(id, branch);
    for (std::size_t i = 0; i < operand.elements.size(); ++i) {
      if (i < used.reads.size() && used.reads[i]) read(operand.elements[i], id);
    }
  }

  BufferTree results_of_branch(hlo::InstructionId id, int branch) {
    const hlo::Shape& shape = entry_[id].shape;
    const std::vector<int> results = use_of(entry_[id].called[std::size_t(branch)]).results;
    if (results.size() != shape.tuple_shapes.size()) return new_tree(shape, id, "");
    BufferTree tuple;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i] >= 0) {
        tuple.elements.push_back(branch_operand(id, branch).elements[std::size_t(results[i])]);
      } else if (results[i] == BranchUse::leaves) {
        tuple.elements.emplace_back();
      } else {
        tuple.elements.push_back(new_tree(shape.tuple_shapes[i], id, fmt::format("{{{}}}", i)));
      }
    }
    return tuple;
  }

  /// Whether a permute sends the viewed core nothing.
  bool gets_nothing(const hlo::Instruction& instruction) const {
    if (view_ == nullptr || instruction.opcode != hlo::Opcode::collective_permute) return false;
    if (instruction.shape.is_tuple() || module_.replicas != 1) return false;
    return std::ranges::none_of(instruction.participants->source_target_pairs,
                                [&](const auto& pair) { return pair.second == view_->core; });
  }

  /// Whether the viewed core reads a parameter neither itself nor in a branch.
  bool is_unread(hlo::InstructionId parameter) const {
    const int buffer = trees_[std::size_t(parameter)].buffer;
    return view_ != nullptr && buffer >= 0 && buffers_[std::size_t(buffer)].readers.empty();
  }

  /// A tuple, an element of one, and another name for a value do not read memory.
  bool reads_memory(hlo::InstructionId id) const {
    switch (entry_[id].opcode) {
      case hlo::Opcode::tuple:
      case hlo::Opcode::get_tuple_element:
      case hlo::Opcode::bitcast:
        return false;
      default:
        return !tiles::keeps_places(entry_, id);
    }
  }

  BufferTree place(const hlo::Instruction& instruction, hlo::InstructionId id) {
    if (names_its_operand(instruction)) return BufferTree(trees_[instruction.operands[0]]);
    if (gets_nothing(instruction)) return {};
    if (const int branch = branch_taken(id); branch >= 0) return results_of_branch(id, branch);
    if (const int updated = updated_operand(module_, instruction); updated >= 0) {
      const BufferTree& operand = trees_[instruction.operands[std::size_t(updated)]];
      if (!instruction.shape.is_tuple() && operand.buffer >= 0) return BufferTree(operand);
    }
    switch (instruction.opcode) {
      case hlo::Opcode::tuple: {
        BufferTree tuple;
        for (hlo::InstructionId operand : instruction.operands) tuple.elements.push_back(trees_[operand]);
        return tuple;
      }
      case hlo::Opcode::get_tuple_element: {
        const BufferTree& tuple = trees_[instruction.operands[0]];
        if (std::size_t(instruction.index) < tuple.elements.size())
          return BufferTree(tuple.elements[instruction.index]);
        break;
      }
      case hlo::Opcode::reshape:
      case hlo::Opcode::transpose:
        if (tiles::keeps_places(entry_, id)) return BufferTree(trees_[instruction.operands[0]]);
        break;
      default:
        break;
    }
    return new_tree(instruction.shape, id, "");
  }

  BufferTree new_tree(const hlo::Shape& shape, hlo::InstructionId id, const std::string& suffix) {
    BufferTree result;
    if (!shape.is_tuple()) {
      result.buffer = int(buffers_.size());
      buffers_.push_back({id, id, id, bytes_in(memory_, shape), suffix, {}, &shape});
    }
    for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
      result.elements.push_back(new_tree(shape.tuple_shapes[i], id, fmt::format("{}{{{}}}", suffix, i)));
    }
    return result;
  }

  /// Accounts the memory that the computations executed by an instruction need beyond their parameters.
  void add_temporaries(hlo::InstructionId id) {
    const hlo::Instruction& instruction = entry_[id];
    const bool loop = instruction.opcode == hlo::Opcode::while_loop;
    if (!loop && instruction.opcode != hlo::Opcode::conditional && instruction.opcode != hlo::Opcode::call) return;
    if (instruction.phase == hlo::AsyncPhase::done) return;
    if (const int branch = branch_taken(id); branch >= 0) {
      add_temporaries_of_branch(id, instruction.called[std::size_t(branch)]);
      return;
    }
    base::Bytes most;
    for (hlo::ComputationId called : instruction.called) {
      Account account(module_, module_.computations[called], memory_);
      if (loop) account.donate_state();
      const MemoryAccount inner = account.summary();
      most = std::max(most, inner.peak - inner.arguments);
    }
    if (most > base::Bytes(0)) buffers_.push_back({id, id, id, most, " (temporaries)", {}});
  }

  /// Accounts what a branch needs beyond its parameter and its results.
  void add_temporaries_of_branch(hlo::InstructionId id, hlo::ComputationId branch) {
    const auto [found, inserted] = temporaries_.try_emplace(branch);
    if (inserted) {
      Account account(module_, module_.computations[std::size_t(branch)], memory_);
      account.give_results();
      const MemoryAccount inner = account.summary();
      found->second = inner.peak - inner.arguments;
    }
    if (found->second > base::Bytes(0)) buffers_.push_back({id, id, id, found->second, " (temporaries)", {}});
  }

  /// The buffer of an element of a value, or of the value itself if it is not a tuple.
  static int buffer_at(const BufferTree& value, std::int64_t element) {
    if (value.elements.empty()) return value.buffer;
    return std::size_t(element) < value.elements.size() ? value.elements[std::size_t(element)].buffer : -1;
  }

  void read(const BufferTree& value, hlo::InstructionId id) {
    if (value.buffer >= 0) buffers_[value.buffer].readers.push_back(id);
    if (value.buffer >= 0) buffers_[value.buffer].last_use = std::max(buffers_[value.buffer].last_use, id);
    for (const BufferTree& element : value.elements) read(element, id);
  }

  void use(const BufferTree& value, hlo::InstructionId id) {
    if (value.buffer >= 0) buffers_[value.buffer].last_use = std::max(buffers_[value.buffer].last_use, id);
    for (const BufferTree& element : value.elements) use(element, id);
  }

  void stay_from_start(const BufferTree& value) {
    if (value.buffer >= 0) buffers_[value.buffer].definition = 0;
    use(value, end());
    for (const BufferTree& element : value.elements) stay_from_start(element);
  }

  std::vector<const Buffer*> live_at(hlo::InstructionId position) const {
    std::vector<const Buffer*> live;
    for (const Buffer& buffer : buffers_) {
      if (buffer.definition <= position && position <= buffer.last_use) live.push_back(&buffer);
    }
    return live;
  }

  std::vector<MemoryAccount::Buffer> largest_at(hlo::InstructionId position) const {
    std::vector<const Buffer*> live = live_at(position);
    std::ranges::stable_sort(live, std::ranges::greater{}, [](const Buffer* buffer) { return buffer->bytes; });
    live.resize(std::min(live.size(), max_listed));
    std::vector<MemoryAccount::Buffer> result;
    for (const Buffer* buffer : live) {
      const hlo::Instruction& instruction = entry_[buffer->origin];
      result.push_back({instruction.name + buffer->suffix, instruction.op_name, buffer->bytes});
    }
    return result;
  }

  const hlo::Module& module_;
  const hlo::Computation& entry_;
  int memory_;            ///< number of the memory that is accounted
  const CoreView* view_;  ///< whose account it is; null: of any core
  std::map<hlo::ComputationId, BranchUse> uses_;
  std::map<hlo::ComputationId, base::Bytes> temporaries_;  ///< of branches that a viewed core takes
  std::vector<Buffer> buffers_;
  std::vector<BufferTree> trees_;
};

bool is_used(int memory, const hlo::Module& module) {
  return std::ranges::any_of(module.computations, [&](const hlo::Computation& computation) {
    return std::ranges::any_of(computation.instructions, [&](const hlo::Instruction& instruction) {
      return bytes_in(memory, instruction.shape) > base::Bytes(0);
    });
  });
}

}  // namespace

Liveness find_liveness(const hlo::Module& module, std::span<const hlo::Donation> donations) {
  Account account(module, module.entry_computation());
  for (const hlo::Donation& donation : donations) account.donate(donation);
  return account.liveness();
}

MemoryAccount::Kinds argument_memory(const hlo::Module& module, std::span<const hlo::transform::ArgumentKind> kinds,
                                     std::span<const std::int64_t> unread) {
  const hlo::Computation& entry = module.entry_computation();
  MemoryAccount::Kinds sums;
  const auto add_type = [&](const hlo::Shape& shape, base::Bytes bytes) {
    auto same = std::ranges::find(sums.parameter_types, shape.element_type, &MemoryAccount::OfType::type);
    if (same == sums.parameter_types.end()) {
      sums.parameter_types.push_back({.type = shape.element_type});
      same = sums.parameter_types.end() - 1;
    }
    ++same->arrays;
    same->bytes += bytes;
    same->elements += hlo::logical_bytes(shape);
  };
  for (std::size_t number = 0; number < entry.parameters.size(); ++number) {
    if (std::ranges::find(unread, std::int64_t(number)) != unread.end()) continue;
    const hlo::Shape& shape = entry[entry.parameters[number]].shape;
    const base::Bytes bytes = bytes_in(hw::level::hbm, shape);
    switch (kinds[number]) {
      case hlo::transform::ArgumentKind::parameter:
        sums.parameters += bytes;
        add_type(shape, bytes);
        break;
      case hlo::transform::ArgumentKind::slot:
        sums.slots += bytes;
        break;
      case hlo::transform::ArgumentKind::cache:
        sums.caches += bytes;
        break;
      case hlo::transform::ArgumentKind::input:
        sums.inputs += bytes;
        break;
    }
  }
  std::ranges::stable_sort(sums.parameter_types, std::ranges::greater{}, &MemoryAccount::OfType::bytes);
  return sums;
}

namespace {

MemoryAccount full_account(const hlo::Module& module, std::span<const hlo::Donation> donations, int memories,
                           const CoreView* view) {
  Account account(module, module.entry_computation(), hw::level::hbm, view);
  for (const hlo::Donation& donation : donations) account.donate(donation);
  MemoryAccount result = account.summary();
  account.add_padding(result);
  account.add_schedule(result);
  for (int number = hw::level::vmem; number < memories; ++number) {
    if (!is_used(number, module)) continue;
    Account of_level(module, module.entry_computation(), number, view);
    for (const hlo::Donation& donation : donations) of_level.donate(donation);
    MemoryAccount level = of_level.summary();
    std::erase_if(level.largest_at_peak, [](const auto& buffer) { return buffer.bytes == base::Bytes(0); });
    result.levels.push_back({number, level.peak, level.peak_position, std::move(level.largest_at_peak)});
  }
  return result;
}

}  // namespace

MemoryAccount account_memory(const hlo::Module& module, std::span<const hlo::Donation> donations, int memories) {
  const CoreView* most = nullptr;
  base::Bytes peak;
  const std::vector<CoreView> views = core_views(module);
  for (const CoreView& view : views) {
    Account account(module, module.entry_computation(), hw::level::hbm, &view);
    for (const hlo::Donation& donation : donations) account.donate(donation);
    const base::Bytes own = account.summary().peak;
    if (most != nullptr && own <= peak) continue;
    most = &view;
    peak = own;
  }
  return full_account(module, donations, memories, most);
}

}  // namespace podsim::sw::compiler
