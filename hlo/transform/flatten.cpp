// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/flatten.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/host/interrupt.h"
#include "hlo/build/graph_builder.h"
#include "hlo/eval/evaluator.h"
#include "hlo/rules/annotation.h"
#include "hlo/transform/formulas/index_bounds.h"
#include "hlo/transform/inline_calls.h"
#include "hlo/transform/trip_count.h"

namespace podsim::hlo::transform {

namespace {

using Ids = std::vector<InstructionId>;

/// The longest program without loops. An instruction takes a kilobyte, and its gradient some three more.
constexpr std::int64_t max_instructions = 250'000;
/// The longest branch of a conditional, or body of a loop that stays one.
constexpr std::int64_t max_called = 30'000;

class Flattening {
 public:
  explicit Flattening(const Module& module) : module_(module), b_(module.name) {
    for (const Computation& computation : module.computations) {  // called computations precede their callers
      std::int64_t length = 0;
      for (const Instruction& instruction : computation.instructions) {
        length = std::min(length + written_length(computation, instruction), max_instructions + 1);
      }
      lengths_.push_back(length);
    }
  }
  /// For a branch of a conditional or the body of a loop.
  Flattening(const Flattening& outer, const Computation& called)
      : module_(outer.module_), b_(called.name), limit_(max_called), lengths_(outer.lengths_), called_(outer.called_) {}

  Module result() && {
    const InstructionId root = written_out(module_.entry_computation());
    Module flat = std::move(b_).build(root);
    flat.replicas = module_.replicas;
    flat.partitions = module_.partitions;
    flat.donations = module_.donations;
    flat.buffer_donors = module_.buffer_donors;
    return flat;
  }

 private:
  /// A computation with its parameters.
  InstructionId written_out(const Computation& computation) {
    Ids arguments;
    for (const InstructionId id : computation.parameters) {
      const Instruction& parameter = computation[id];
      const build::GraphBuilder::Scope scope(b_, parameter.op_name, parameter.source);
      arguments.push_back(b_.parameter(parameter.shape, parameter.name));
      if (parameter.sharding) b_.annotate(arguments.back(), *parameter.sharding);
    }
    return inlined(computation, arguments);
  }

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
      case Opcode::while_loop: {
        const std::int64_t trips = trips_of(computation, instruction);
        if (trips < 0) break;
        if (!fits(trips, instruction)) return with_body_written_out(instruction, operands, trips);
        InstructionId state = operands[0];
        for (std::int64_t pass = 0; pass < trips; ++pass) state = inlined(called(instruction, 1), {state});
        return state;
      }
      case Opcode::get_tuple_element:
        if (b_[operands[0]].opcode == Opcode::tuple) return b_[operands[0]].operands[std::size_t(instruction.index)];
        break;
      case Opcode::dynamic_slice:
        if (all_constant(operands, 1)) return sliced(instruction, operands);
        break;
      case Opcode::gather:
        return with_indices_inside(instruction, operands);
      case Opcode::conditional:
        if (is_constant(operands[0])) {
          const std::size_t branch = constant_branch(instruction, operands[0]);
          return inlined(called(instruction, branch), {operands[branch + 1]});
        }
        return with_branches_written_out(instruction, operands);
      case Opcode::custom_call:
        if (is_copy(instruction)) return annotated_copy(instruction, operands);
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

  /// The passes of a loop, or -1 if they are unknown.
  std::int64_t trips_of(const Computation& computation, const Instruction& loop) const {
    return loop.trip_count >= 0 ? loop.trip_count : find_trip_count(module_, computation, loop);
  }

  bool fits(std::int64_t trips, const Instruction& loop) const {
    return trips <= (limit_ - b_.size()) / length_of(loop, 1);
  }

  /// How many instructions one becomes, with all passes of loops in loops.
  std::int64_t written_length(const Computation& computation, const Instruction& instruction) const {
    if (instruction.opcode == Opcode::fusion && instruction.phase == AsyncPhase::none) return length_of(instruction, 0);
    if (instruction.opcode == Opcode::conditional) {  // it may become its longest branch
      std::int64_t longest = 1;
      for (std::size_t i = 0; i < instruction.called.size(); ++i) {
        longest = std::max(longest, length_of(instruction, i));
      }
      return longest;
    }
    if (instruction.opcode != Opcode::while_loop) return 1;
    const std::int64_t trips = trips_of(computation, instruction), length = length_of(instruction, 1);
    return trips < 0 || trips > max_instructions / length ? 1 : trips * length;
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

  /// A gather moves its indices inside. The scatter that is its gradient would drop what is outside.
  InstructionId with_indices_inside(const Instruction& gather, Ids operands) {
    const std::vector<std::int64_t> largest =
        formulas::largest_indices(gather.gather, b_.shape(operands[0]).dimensions, gather.slice_sizes);
    if (!formulas::are_inside(b_, operands[1], gather.gather, largest)) {
      const build::GraphBuilder::Scope scope(b_, gather.op_name, gather.source);
      operands[1] = formulas::moved_inside(b_, operands[1], gather.gather, largest);
    }
    return written(gather, operands);
  }

  std::size_t constant_branch(const Instruction& conditional, InstructionId index) const {
    const Literal& number = *b_[index].literal;
    const std::int64_t written = number.integers.empty() ? std::int64_t(number.values[0]) : number.integers[0];
    if (number.shape.element_type == ElementType::pred) return written != 0 ? 0 : 1;
    const std::int64_t last = std::int64_t(conditional.called.size()) - 1;
    return std::size_t(written < 0 || written > last ? last : written);
  }

  InstructionId with_branches_written_out(Instruction conditional, const Ids& operands) {
    conditional.operands = operands;
    for (ComputationId& id : conditional.called) id = written_out_once(id);
    return b_.add(std::move(conditional));
  }

  /// A branch of a conditional or the body of a loop that stays one, as a computation of the builder. Each is written
  /// out once for all that call it, also in others of these.
  ComputationId written_out_once(ComputationId id) {
    if (const auto found = copied_.find(id); found != copied_.end()) return found->second;
    if (!called_->contains(id)) {
      const Computation& computation = module_.computations[std::size_t(id)];
      Flattening flat(*this, computation);
      const InstructionId root = flat.written_out(computation);
      Module module = std::move(flat.b_).build(root);
      module.computations.back().name = computation.name;
      called_->emplace(id, std::move(module));
    }
    const Module& module = called_->at(id);
    const ComputationId copy = b_.copy_computation(module, module.entry);
    copied_.emplace(id, copy);
    return copy;
  }

  InstructionId with_body_written_out(Instruction loop, const Ids& operands, std::int64_t trips) {
    loop.called = {b_.copy_computation(module_, loop.called[0]), written_out_once(loop.called[1])};
    loop.operands = operands;
    loop.trip_count = trips;
    return b_.add(std::move(loop));
  }

  /// Equal copies are one, and so would be two annotations of a value that give it different shardings.
  InstructionId annotated_copy(const Instruction& annotation, const Ids& operands) {
    const InstructionId copy = written(copy_of(annotation), operands);
    const std::shared_ptr<const Sharding>&has = b_[copy].sharding, &wants = annotation.sharding;
    const bool is_its_own = has == wants || (has && wants && *has == *wants);
    return is_its_own ? copy : written(annotation, operands);
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
  std::int64_t limit_ = max_instructions;  ///< of the instructions of this computation
  std::vector<std::int64_t> lengths_;      ///< by computation: instructions when written out
  /// Branches and bodies that are written out, as modules, and as computations of the builder.
  std::shared_ptr<std::map<ComputationId, Module>> called_ = std::make_shared<std::map<ComputationId, Module>>();
  std::map<ComputationId, ComputationId> copied_;
};

}  // namespace

Module flattened(const Module& module) {
  const Module without_calls = inline_calls(module);
  return Flattening(without_calls).result();
}

}  // namespace podsim::hlo::transform
