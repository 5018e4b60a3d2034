// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/mixed_precision.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::transform {

namespace {

constexpr ElementType wide_type = ElementType::f32, narrow_type = ElementType::bf16;

/// What is done with the types of an operation's operands and result.
enum class Rule { product, full, moves, follows, keeps };

/// True of operations that only move the values of operand 0 (and, of a concatenation, of all).
bool moves_values(Opcode opcode) {
  switch (opcode) {
    case Opcode::broadcast:
    case Opcode::reshape:
    case Opcode::transpose:
    case Opcode::reverse:
    case Opcode::slice:
    case Opcode::dynamic_slice:
    case Opcode::gather:
    case Opcode::pad:
    case Opcode::concatenate:
    case Opcode::copy:
      return true;
    default:
      return false;
  }
}

bool is_full(Opcode opcode) {
  switch (opcode) {
    case Opcode::exponential:
    case Opcode::exponential_minus_one:
    case Opcode::log:
    case Opcode::log_plus_one:
    case Opcode::power:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::cbrt:
    case Opcode::reduce:
    case Opcode::reduce_window:
      return true;
    default:
      return false;
  }
}

class MixedPrecision {
 public:
  explicit MixedPrecision(const Module& flat) : flat_(flat), b_(flat.name) {}

  Module result() && {
    const Computation& entry = flat_.entry_computation();
    values_.assign(entry.instructions.size(), {});
    for (const InstructionId id : entry.parameters) {
      const Instruction& parameter = entry[id];
      const build::GraphBuilder::Scope scope(b_, parameter.op_name, parameter.source);
      values_[std::size_t(id)] = {b_.parameter(parameter.shape, parameter.name), true};
      if (parameter.sharding) b_.annotate(values_[std::size_t(id)].id, *parameter.sharding);
    }
    for (InstructionId id = 0; id < InstructionId(entry.instructions.size()); ++id) {
      if (entry[id].opcode != Opcode::parameter) values_[std::size_t(id)] = write(entry, id);
    }
    const InstructionId root = as(values_[std::size_t(entry.root)].id, entry[entry.root].shape.element_type);
    Module mixed = std::move(b_).build(root);
    mixed.replicas = flat_.replicas;
    mixed.partitions = flat_.partitions;
    mixed.donations = flat_.donations;
    mixed.buffer_donors = flat_.buffer_donors;
    return mixed;
  }

 private:
  struct Value {
    InstructionId id = -1;
    bool open = false;  ///< f32 that no operation was made in, which takes the type of its readers
  };

  static bool is_wide_array(const Shape& shape) { return !shape.is_tuple() && shape.element_type == wide_type; }

  Rule rule_of(const Computation& entry, const Instruction& instruction) const {
    const bool reads_wide = std::ranges::any_of(
        instruction.operands, [&](InstructionId operand) { return is_wide_array(entry[operand].shape); });
    if (instruction.opcode == Opcode::dot || instruction.opcode == Opcode::convolution) {
      return is_wide_array(instruction.shape) && all_wide(entry, instruction) ? Rule::product : Rule::keeps;
    }
    if (instruction.opcode == Opcode::compare) return reads_wide ? Rule::follows : Rule::keeps;
    if (!is_wide_array(instruction.shape)) return Rule::keeps;
    if (instruction.opcode == Opcode::reduce_window && combiner_of(instruction) != Opcode::unknown) return Rule::moves;
    if (is_full(instruction.opcode)) return Rule::full;
    if (moves_values(instruction.opcode)) return Rule::moves;
    if (is_elementwise(instruction.opcode) && instruction.opcode != Opcode::convert) return Rule::follows;
    return Rule::keeps;
  }

  static bool all_wide(const Computation& entry, const Instruction& instruction) {
    return std::ranges::all_of(instruction.operands,
                               [&](InstructionId operand) { return is_wide_array(entry[operand].shape); });
  }

  /// maximum or minimum if that is what the windows are reduced by, else unknown.
  Opcode combiner_of(const Instruction& window) const {
    const Computation& combiner = flat_.computations[std::size_t(window.called[0])];
    const Opcode opcode = combiner[combiner.root].opcode;
    const bool is_extreme = opcode == Opcode::maximum || opcode == Opcode::minimum;
    return is_extreme && combiner.instructions.size() == 3 ? opcode : Opcode::unknown;
  }

  Value write(const Computation& entry, InstructionId id) {
    const Instruction& instruction = entry[id];
    switch (rule_of(entry, instruction)) {
      case Rule::product:
        return {typed(instruction, narrow_type), false};
      case Rule::full:
        return {typed(instruction, wide_type), false};
      case Rule::moves: {
        const Value& moved = values_[std::size_t(instruction.operands[0])];
        const bool open = moved.open && b_.type(moved.id) == wide_type;
        return {typed(instruction, b_.type(moved.id)), open};
      }
      case Rule::follows: {
        const ElementType type = common_type(entry, instruction);
        const bool only_constants = std::ranges::all_of(
            instruction.operands, [&](InstructionId operand) { return is_constant(values_[std::size_t(operand)].id); });
        if (only_constants) return {typed(instruction, wide_type), true};
        return {typed(instruction, type), false};
      }
      case Rule::keeps:
        break;
    }
    // What was converted to f32 on purpose stays f32; numbers that were integers may be either.
    const bool open = instruction.opcode == Opcode::constant || instruction.opcode == Opcode::iota ||
                      (instruction.opcode == Opcode::convert &&
                       !is_floating_point(entry[instruction.operands[0]].shape.element_type));
    return {kept(entry, instruction), open};
  }

  ElementType common_type(const Computation& entry, const Instruction& instruction) const {
    for (const InstructionId operand : instruction.operands) {
      const Value& value = values_[std::size_t(operand)];
      if (is_wide_array(entry[operand].shape) && b_.type(value.id) == wide_type && !value.open) return wide_type;
    }
    return narrow_type;
  }

  bool is_constant(InstructionId id) const {
    const Instruction* value = &b_[id];
    while (value->opcode == Opcode::broadcast || value->opcode == Opcode::reshape) value = &b_[value->operands[0]];
    return value->opcode == Opcode::constant;
  }

  /// The instruction with its f32 operands and its f32 result in another type.
  InstructionId typed(Instruction instruction, ElementType type) {
    const Computation& entry = flat_.entry_computation();
    if (is_wide_array(instruction.shape)) instruction.shape.element_type = type;
    const bool is_extreme = instruction.opcode == Opcode::reduce_window;
    const Opcode combiner = is_extreme ? combiner_of(instruction) : Opcode::unknown;
    for (InstructionId& operand : instruction.operands) {
      const bool was_wide = is_wide_array(entry[operand].shape);
      operand = values_[std::size_t(operand)].id;
      if (was_wide) operand = as(operand, type);
    }
    if (combiner != Opcode::unknown) {
      instruction.called = {b_.combiner(combiner, type)};
    } else {
      copy_called(instruction);
    }
    return b_.add(std::move(instruction));
  }

  /// The instruction in the types of the program.
  InstructionId kept(const Computation& entry, Instruction instruction) {
    for (InstructionId& operand : instruction.operands) {
      const Shape& shape = entry[operand].shape;
      operand = values_[std::size_t(operand)].id;
      if (is_wide_array(shape)) operand = as(operand, wide_type);
    }
    copy_called(instruction);
    return b_.add(std::move(instruction));
  }

  void copy_called(Instruction& instruction) {
    for (ComputationId& id : instruction.called) id = b_.copy_computation(flat_, id);
  }

  /// A value in another type; constants are made anew.
  InstructionId as(InstructionId id, ElementType type) {
    if (b_[id].shape.is_tuple() || b_.type(id) == type) return id;
    const Instruction value = b_[id];
    const build::GraphBuilder::Scope scope(b_, value.op_name, value.source);
    if (value.opcode == Opcode::constant && value.literal) {
      Literal literal = *value.literal;
      literal.shape.element_type = type;
      return b_.constant(std::move(literal));
    }
    if (value.opcode == Opcode::broadcast && is_constant(id)) {
      return b_.broadcast(as(value.operands[0], type), value.shape.dimensions, value.dimensions);
    }
    return b_.convert(id, type);
  }

  const Module& flat_;
  build::GraphBuilder b_;
  std::vector<Value> values_;
};

}  // namespace

Module in_mixed_precision(const Module& flat) { return MixedPrecision(flat).result(); }

}  // namespace podsim::hlo::transform
