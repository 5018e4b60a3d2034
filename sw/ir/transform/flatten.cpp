// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/transform/flatten.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/host/interrupt.h"
#include "sw/ir/build/graph_builder.h"
#include "sw/ir/eval/evaluator.h"
#include "sw/ir/rules/annotation.h"
#include "sw/ir/transform/inline_calls.h"
#include "sw/ir/transform/trip_count.h"

namespace podsim::sw::ir::transform {

namespace {

using Ids = std::vector<InstructionId>;

/// The longest program without loops. An instruction takes a kilobyte, and its gradient some three more.
constexpr std::int64_t most_instructions = 250'000;

class Flattening {
 public:
  explicit Flattening(const Module& module) : module_(module), b_(module.name) {
    for (const Computation& computation : module.computations) {  // called computations precede their callers
      std::int64_t length = 0;
      for (const Instruction& instruction : computation.instructions) {
        length = std::min(length + written_length(computation, instruction), most_instructions + 1);
      }
      lengths_.push_back(length);
    }
  }

  Module result() && {
    const Computation& entry = module_.entry_computation();
    Ids arguments;
    for (const InstructionId id : entry.parameters) {
      const Instruction& parameter = entry[id];
      const build::GraphBuilder::Scope scope(b_, parameter.op_name, parameter.source);
      arguments.push_back(b_.parameter(parameter.shape, parameter.name));
      if (parameter.sharding) b_.annotate(arguments.back(), *parameter.sharding);
    }
    const InstructionId root = inlined(entry, arguments);
    Module flat = std::move(b_).build(root);
    flat.replicas = module_.replicas;
    flat.partitions = module_.partitions;
    flat.donations = module_.donations;
    flat.buffer_donors = module_.buffer_donors;
    return flat;
  }

 private:
  InstructionId inlined(const Computation& computation, const Ids& arguments) {
    Ids values(computation.instructions.size(), -1);
    for (InstructionId id = 0; id < InstructionId(values.size()); ++id) {
      base::host::end_if_interrupted();
      const Instruction& instruction = computation[id];
      if (instruction.opcode == Opcode::parameter) {
        values[std::size_t(id)] = arguments[std::size_t(instruction.index)];
        continue;
      }
      Ids operands;
      for (const InstructionId operand : instruction.operands) operands.push_back(values[std::size_t(operand)]);
      values[std::size_t(id)] = value_of(computation, instruction, operands);
    }
    return values[std::size_t(computation.root)];
  }

  InstructionId value_of(const Computation& computation, const Instruction& instruction, const Ids& operands) {
    switch (instruction.opcode) {
      case Opcode::fusion:
        if (instruction.phase == AsyncPhase::none) return inlined(called(instruction, 0), operands);
        break;
      case Opcode::while_loop:
        if (const std::int64_t trips = trips_of(computation, instruction);
            trips >= 0 && trips * length_of(instruction, 1) <= most_instructions - b_.size()) {
          InstructionId state = operands[0];
          for (std::int64_t pass = 0; pass < trips; ++pass) state = inlined(called(instruction, 1), {state});
          return state;
        }
        break;
      case Opcode::get_tuple_element:
        if (b_[operands[0]].opcode == Opcode::tuple) return b_[operands[0]].operands[std::size_t(instruction.index)];
        break;
      case Opcode::dynamic_slice:
        if (all_constant(operands, 1)) return sliced(instruction, operands);
        break;
      case Opcode::custom_call:
        if (is_copy(instruction)) return written(copy_of(instruction), operands);
        break;
      default:
        if (folds(instruction, operands)) return folded(instruction, operands);
    }
    return written(instruction, operands);
  }

  const Computation& called(const Instruction& instruction, std::size_t which) const {
    return module_.computations[std::size_t(instruction.called[which])];
  }

  std::int64_t length_of(const Instruction& instruction, std::size_t which) const {
    return lengths_[std::size_t(instruction.called[which])];
  }

  /// The passes of a loop that is written out, or -1 if they are unknown or too many.
  std::int64_t trips_of(const Computation& computation, const Instruction& loop) const {
    const std::int64_t trips = loop.trip_count >= 0 ? loop.trip_count : find_trip_count(module_, computation, loop);
    return trips <= most_instructions / length_of(loop, 1) ? trips : -1;
  }

  /// How many instructions one becomes, with all passes of loops in loops.
  std::int64_t written_length(const Computation& computation, const Instruction& instruction) const {
    if (instruction.opcode == Opcode::fusion && instruction.phase == AsyncPhase::none) return length_of(instruction, 0);
    if (instruction.opcode != Opcode::while_loop) return 1;
    const std::int64_t trips = trips_of(computation, instruction);
    return trips < 0 ? 1 : trips * length_of(instruction, 1);
  }

  bool is_constant(InstructionId id) const {
    const Instruction& value = b_[id];
    return value.opcode == Opcode::constant && value.literal && value.shape.rank() == 0 &&
           !is_floating_point(value.shape.element_type) && !is_complex(value.shape.element_type);
  }
  bool all_constant(const Ids& operands, std::size_t first) const {
    return std::all_of(operands.begin() + std::ptrdiff_t(first), operands.end(),
                       [this](InstructionId id) { return is_constant(id); });
  }
  bool folds(const Instruction& instruction, const Ids& operands) const {
    return is_elementwise(instruction.opcode) && instruction.shape.rank() == 0 && !operands.empty() &&
           !is_floating_point(instruction.shape.element_type) && all_constant(operands, 0);
  }

  /// A scalar integer operation on constants, as its value.
  InstructionId folded(const Instruction& instruction, const Ids& operands) {
    build::GraphBuilder small("folded");
    Instruction copy = instruction;
    copy.operands.clear();
    for (const InstructionId operand : operands) copy.operands.push_back(small.constant(*b_[operand].literal));
    const InstructionId root = small.add(std::move(copy));
    return b_.constant(eval::evaluate(std::move(small).build(root), {}));
  }

  InstructionId sliced(const Instruction& instruction, const Ids& operands) {
    std::vector<SliceDimension> slice;
    for (std::size_t i = 0; i < instruction.slice_sizes.size(); ++i) {
      const Literal& start = *b_[operands[i + 1]].literal;
      const std::int64_t at = start.integers.empty() ? std::int64_t(start.values[0]) : start.integers[0];
      const std::int64_t size = instruction.slice_sizes[i];
      const std::int64_t first =
          std::clamp<std::int64_t>(at, 0, b_.shape(operands[0]).dimensions[i] - size);  // as dynamic-slice does
      slice.push_back({first, first + size, 1});
    }
    const build::GraphBuilder::Scope scope(b_, instruction.op_name, instruction.source);
    return b_.slice(operands[0], std::move(slice));
  }

  static bool is_copy(const Instruction& instruction) {
    const rules::Annotation* annotation = rules::find_annotation(instruction.target);
    return annotation != nullptr && annotation->returns_operand && annotation->same_sharding &&
           instruction.operands.size() == 1;
  }
  static Instruction copy_of(const Instruction& annotation) {
    Instruction copy;
    copy.opcode = Opcode::copy;
    copy.name = annotation.name;
    copy.op_name = annotation.op_name;
    copy.source = annotation.source;
    copy.shape = annotation.shape;
    copy.sharding = annotation.sharding;
    return copy;
  }

  InstructionId written(Instruction instruction, const Ids& operands) {
    instruction.operands = operands;
    for (ComputationId& id : instruction.called) id = b_.copy_computation(module_, id);
    return b_.add(std::move(instruction));
  }

  const Module& module_;
  build::GraphBuilder b_;
  std::vector<std::int64_t> lengths_;  ///< by computation: instructions when written out
};

}  // namespace

Module flattened(const Module& module) {
  const Module without_calls = inline_calls(module);
  return Flattening(without_calls).result();
}

}  // namespace podsim::sw::ir::transform
