// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/rematerialize.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "hlo/transform/flops.h"

namespace podsim::hlo::transform {
namespace {

constexpr std::string_view backward_scope = "gradients/";
constexpr std::string_view repeated_scope = "rematerialised/";

bool is_backward(const Instruction& instruction) { return instruction.op_name.starts_with(backward_scope); }

/// True for components such as "layer12" or "block0".
bool names_a_layer(std::string_view component) {
  for (const std::string_view word : {"layer", "block"}) {
    if (!component.starts_with(word) || component.size() == word.size()) continue;
    if (component.find_first_not_of("0123456789", word.size()) == std::string_view::npos) return true;
  }
  return false;
}

/// True if recomputing gives the same value and needs no other device.
bool may_be_repeated(const Instruction& instruction) {
  if (instruction.phase != AsyncPhase::none || is_collective(instruction.opcode)) return false;
  switch (instruction.opcode) {
    case Opcode::parameter:
    case Opcode::infeed:
    case Opcode::outfeed:
    case Opcode::send:
    case Opcode::recv:
    case Opcode::send_done:
    case Opcode::recv_done:
    case Opcode::rng:
    case Opcode::rng_get_and_update_state:
    case Opcode::custom_call:
    case Opcode::while_loop:
    case Opcode::conditional:
    case Opcode::call:
    case Opcode::unknown:
      return false;
    default:
      return true;
  }
}

class Rematerialiser {
 public:
  Rematerialiser(const Module& module, Rematerialisation policy)
      : module_(module), entry_(module.entry_computation()), policy_(policy), renumbered_(entry_.instructions.size()) {
    for (const Instruction& instruction : entry_.instructions) {
      layers_.push_back(is_backward(instruction) ? std::string_view() : layer_of(instruction.op_name));
    }
    find_kept();
    find_arrivals();
  }

  RematerialisedModule run() && {
    for (InstructionId id = 0; id < InstructionId(entry_.instructions.size()); ++id) {
      now_ = id;
      Instruction instruction = entry_[id];
      const std::string_view layer = is_backward(instruction) ? layer_of(instruction.op_name) : std::string_view();
      for (InstructionId& operand : instruction.operands) {
        const bool repeats = !layer.empty() && layers_[std::size_t(operand)] == layer && !kept_[std::size_t(operand)];
        operand = repeats ? clone(operand) : as_clones_read(layer, operand);
      }
      renumbered_[std::size_t(id)] = append(std::move(instruction));
    }
    return finish();
  }

 private:
  bool is_kept_product(const Instruction& instruction) const {
    if (policy_ != Rematerialisation::dots && policy_ != Rematerialisation::unbatched_dots) return false;
    if (instruction.opcode == Opcode::convolution) return true;
    return instruction.opcode == Opcode::dot &&
           (policy_ == Rematerialisation::dots || instruction.dot->lhs_batch.empty());
  }

  /// Marks the values that are kept: those that leave their layer other than to the layer's own backward part, those
  /// that may not be repeated, the smallest of what is computed from random numbers alone, such as the bits of a mask,
  /// and products under policies that keep them.
  void find_kept() {
    kept_.assign(entry_.instructions.size(), false);
    constant_.assign(entry_.instructions.size(), false);
    smallest_drawn_.assign(entry_.instructions.size(), -1);
    kept_[std::size_t(entry_.root)] = true;
    for (InstructionId id = 0; id < InstructionId(entry_.instructions.size()); ++id) {
      const Instruction& instruction = entry_[id];
      if (!may_be_repeated(instruction)) kept_[std::size_t(id)] = true;
      constant_[std::size_t(id)] = is_constant(instruction);
      smallest_drawn_[std::size_t(id)] = smallest_drawn(id);
      if (is_kept_product(instruction)) kept_[std::size_t(id)] = true;
      for (const InstructionId operand : instruction.operands) {
        if (layer_of(instruction.op_name) != layers_[std::size_t(operand)]) kept_[std::size_t(operand)] = true;
        if (instruction.opcode == Opcode::get_tuple_element && kept_[std::size_t(operand)])
          kept_[std::size_t(id)] = true;
        const InstructionId mask = smallest_drawn_[std::size_t(operand)];
        if (mask >= 0 && smallest_drawn_[std::size_t(id)] < 0) kept_[std::size_t(mask)] = true;
      }
    }
  }

  /// Finds the gradient at which each layer's backward part begins: the last value that it reads from another backward
  /// part.
  void find_arrivals() {
    for (const Instruction& instruction : entry_.instructions) {
      if (!is_backward(instruction)) continue;
      const std::string_view layer = layer_of(instruction.op_name);
      for (const InstructionId operand : instruction.operands) {
        const Instruction& read = entry_[operand];
        if (!is_backward(read) || layer_of(read.op_name) == layer || constant_[std::size_t(operand)]) continue;
        const auto [found, is_new] = arrivals_.try_emplace(layer, operand);
        found->second = std::max(found->second, operand);
      }
    }
  }

  /// True for values that are computed from constants, which are not kept but shared.
  bool is_constant(const Instruction& instruction) const {
    switch (instruction.opcode) {
      case Opcode::constant:
      case Opcode::iota:
        return true;
      case Opcode::broadcast:
      case Opcode::reshape:
        return constant_[std::size_t(instruction.operands[0])];
      default:
        return is_elementwise(instruction.opcode) &&
               std::ranges::all_of(instruction.operands,
                                   [&](InstructionId operand) { return constant_[std::size_t(operand)]; });
    }
  }

  /// For random numbers and for what is computed from them and constants: the value of the fewest bytes from the
  /// numbers to here, before layouts pad it. -1 for others.
  InstructionId smallest_drawn(InstructionId id) const {
    const Instruction& instruction = entry_[id];
    if (instruction.opcode == Opcode::rng) return id;
    const bool computes = is_elementwise(instruction.opcode) || instruction.opcode == Opcode::broadcast ||
                          instruction.opcode == Opcode::reshape || instruction.opcode == Opcode::reduce;
    InstructionId smallest = -1;
    for (const InstructionId operand : instruction.operands) {
      const InstructionId drawn = smallest_drawn_[std::size_t(operand)];
      if (!computes || (drawn < 0 && !constant_[std::size_t(operand)])) return -1;
      if (drawn >= 0 && smallest >= 0) return -1;  // of two draws each is kept
      smallest = std::max(smallest, drawn);
    }
    if (smallest < 0) return -1;
    return logical_bytes(instruction.shape) <= logical_bytes(entry_[smallest].shape) ? id : smallest;
  }

  /// Appends a clone to the new program at the current position.
  InstructionId clone(InstructionId id) {
    if (const auto found = clones_.find(id); found != clones_.end()) return found->second;
    const std::string_view layer = layers_[std::size_t(id)];
    Instruction copy = entry_[id];
    for (InstructionId& operand : copy.operands) {
      const bool repeats = layers_[std::size_t(operand)] == layer && !kept_[std::size_t(operand)];
      operand = repeats ? clone(operand) : behind_barrier(layer, operand);
    }
    copy.name += ".remat";
    copy.op_name = std::string(repeated_scope) + copy.op_name;
    const InstructionId made = append(std::move(copy));
    ++result_.instructions;
    result_.flops += double(cost(module_, entry_, id).flops);
    return clones_[id] = made;
  }

  /// Returns a kept value as the clones of a layer read it: through a barrier, so that no later pass can move them
  /// before the start of the layer's backward part.
  InstructionId behind_barrier(std::string_view layer, InstructionId kept) {
    if (constant_[std::size_t(kept)]) return renumbered_[std::size_t(kept)];
    const auto [found, is_new] = barriers_.try_emplace({layer, kept}, -1);
    if (is_new) found->second = write_barrier(layer, kept);
    return found->second;
  }

  InstructionId write_barrier(std::string_view layer, InstructionId kept) {
    const auto arrival = arrivals_.find(layer);
    std::vector<InstructionId> held{kept};
    if (arrival != arrivals_.end() && arrival->second < now_) held.push_back(arrival->second);
    Instruction tuple;
    tuple.opcode = Opcode::tuple;
    std::vector<Shape> shapes;
    for (const InstructionId id : held) {
      shapes.push_back(entry_[id].shape);
      tuple.operands.push_back(renumbered_[std::size_t(id)]);
    }
    tuple.shape = make_tuple_shape(std::move(shapes));
    const InstructionId both = append(named(std::move(tuple), layer, kept, "both"));
    Instruction barrier;
    barrier.opcode = Opcode::opt_barrier;
    barrier.operands = {both};
    barrier.shape = instructions_[std::size_t(both)].shape;
    const InstructionId behind = append(named(std::move(barrier), layer, kept, "barrier"));
    Instruction element;
    element.opcode = Opcode::get_tuple_element;
    element.operands = {behind};
    element.shape = entry_[kept].shape;
    element.sharding = entry_[kept].sharding;
    return append(named(std::move(element), layer, kept, "kept"));
  }

  Instruction named(Instruction instruction, std::string_view layer, InstructionId kept, const char* what) const {
    instruction.name = entry_[kept].name + "." + what + "." + std::to_string(barriers_.size());
    instruction.op_name = std::string(repeated_scope) + std::string(layer);
    return instruction;
  }

  /// Returns a kept value as a layer's backward part reads it: from the barrier once there is one. Values computed from
  /// it there, such as a weight gathered from its shards, are then the same for clones and gradients.
  InstructionId as_clones_read(std::string_view layer, InstructionId kept) const {
    const auto found = barriers_.find({layer, kept});
    return found == barriers_.end() ? renumbered_[std::size_t(kept)] : found->second;
  }

  InstructionId append(Instruction instruction) {
    instructions_.push_back(std::move(instruction));
    return InstructionId(instructions_.size()) - 1;
  }

  RematerialisedModule finish() {
    result_.module = module_;
    Computation& entry = result_.module.computations[std::size_t(module_.entry)];
    entry.instructions = std::move(instructions_);
    entry.root = renumbered_[std::size_t(entry.root)];
    for (InstructionId& parameter : entry.parameters) parameter = renumbered_[std::size_t(parameter)];
    return std::move(result_);
  }

  const Module& module_;
  const Computation& entry_;
  Rematerialisation policy_;
  RematerialisedModule result_;
  std::vector<std::string_view> layers_;  ///< of forward instructions; "" for others
  std::vector<bool> kept_, constant_;
  std::vector<InstructionId> smallest_drawn_;
  std::map<std::string_view, InstructionId> arrivals_;  ///< by layer
  InstructionId now_ = 0;                               ///< the instruction being rewritten
  std::vector<Instruction> instructions_;
  std::vector<InstructionId> renumbered_;
  std::map<InstructionId, InstructionId> clones_;
  std::map<std::pair<std::string_view, InstructionId>, InstructionId> barriers_;
};

}  // namespace

std::string_view to_string(Rematerialisation policy) {
  static constexpr std::array<std::string_view, 5> names{"none", "ops", "dots", "unbatched-dots", "layer"};
  return names[std::size_t(policy)];
}

std::string_view layer_of(std::string_view op_name) {
  if (op_name.starts_with(backward_scope)) op_name.remove_prefix(backward_scope.size());
  std::size_t length = 0;
  for (std::size_t begin = 0; begin < op_name.size();) {
    const std::size_t end = std::min(op_name.find('/', begin), op_name.size());
    if (names_a_layer(op_name.substr(begin, end - begin))) length = end;
    begin = end + 1;
  }
  return op_name.substr(0, length);
}

LayerPart layer_part(std::string_view op_name) {
  for (const std::string_view scope : {backward_scope, repeated_scope}) {
    if (op_name.starts_with(scope)) return {layer_of(op_name.substr(scope.size())), true};
  }
  return {layer_of(op_name), false};
}

RematerialisedModule rematerialise(const Module& module, Rematerialisation policy) {
  if (policy == Rematerialisation::none || policy == Rematerialisation::ops) return {module, 0, 0};
  return Rematerialiser(module, policy).run();
}

}  // namespace podsim::hlo::transform
