// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/partition_branch.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "hlo/build/graph_builder.h"
#include "hlo/eval/evaluator.h"
#include "hlo/eval/rearrangement.h"

namespace podsim::hlo::transform {
namespace {

constexpr int max_evaluated = 256;
constexpr std::int64_t max_elements = std::int64_t(1) << 16;

/// A value in a computation, with the frame that executes it.
struct Source {
  const CallFrame* frame = nullptr;
  InstructionId id = -1;
  const Instruction& instruction() const { return frame->computation[id]; }
  auto key() const { return std::pair(frame, id); }
};

/// Returns whether a loop's body passes element `index` of its state on unchanged.
bool is_loop_invariant(const Computation& body, std::int64_t index) {
  const Instruction& root = body[body.root];
  if (root.opcode != Opcode::tuple || index >= std::int64_t(root.operands.size())) return false;
  const Instruction& element = body[root.operands[std::size_t(index)]];
  return element.opcode == Opcode::get_tuple_element && element.index == index &&
         body[element.operands[0]].opcode == Opcode::parameter;
}

/// Copies the computation of a value into a graph without parameters, through loops and calls.
class Extraction {
 public:
  explicit Extraction(const Module& module) : module_(module) {}

  /// Copies an array. Returns std::nullopt if it depends on unknown values.
  std::optional<InstructionId> copy(Source source) {
    const std::optional<Source> origin = origin_of(source);
    if (!origin) return std::nullopt;
    if (const auto found = copies_.find(origin->key()); found != copies_.end()) return found->second;
    const Instruction& instruction = origin->instruction();
    if (!is_known_operation(instruction) || --budget_ < 0) return std::nullopt;
    Instruction copied = instruction;
    for (InstructionId& operand : copied.operands) {
      const std::optional<InstructionId> known = copy({origin->frame, operand});
      if (!known) return std::nullopt;
      operand = *known;
    }
    return copies_[origin->key()] = builder_.add(std::move(copied));
  }

  Module build(InstructionId root) && {
    Module extracted = std::move(builder_).build(root);
    extracted.replicas = module_.replicas;
    extracted.partitions = module_.partitions;
    return extracted;
  }

 private:
  bool is_known_operation(const Instruction& instruction) const {
    if (instruction.shape.is_tuple() || instruction.shape.element_count() > max_elements) return false;
    if (instruction.phase != AsyncPhase::none || !instruction.called.empty()) return false;
    switch (instruction.opcode) {
      case Opcode::constant:
        return instruction.literal != nullptr;
      case Opcode::partition_id:
      case Opcode::replica_id:
        return module_.replicas * module_.partitions > 1;
      case Opcode::dynamic_slice:
        return true;
      default:
        return is_elementwise(instruction.opcode) || eval::is_rearrangement(instruction.opcode);
    }
  }

  /// Returns the instruction that computes an array, found through tuples, calls, fusions, barriers, and parameters of
  /// inner computations.
  std::optional<Source> origin_of(Source source) {
    if (--budget_ < 0) return std::nullopt;
    const Instruction& instruction = source.instruction();
    switch (instruction.opcode) {
      case Opcode::get_tuple_element:
        return through(element({source.frame, instruction.operands[0]}, instruction.index));
      case Opcode::parameter:
        return through(argument(source));
      case Opcode::copy:
        return origin_of({source.frame, instruction.operands[0]});
      case Opcode::opt_barrier:
        if (instruction.operands.size() != 1) return std::nullopt;
        return origin_of({source.frame, instruction.operands[0]});
      case Opcode::call:
      case Opcode::fusion:
        return origin_of(root_of(source));
      default:
        return source;
    }
  }

  std::optional<Source> through(std::optional<Source> source) { return source ? origin_of(*source) : std::nullopt; }

  /// Returns element `index` of a tuple.
  std::optional<Source> element(Source tuple, std::int64_t index) {
    if (--budget_ < 0) return std::nullopt;
    const Instruction& instruction = tuple.instruction();
    switch (instruction.opcode) {
      case Opcode::tuple:
        return Source{tuple.frame, instruction.operands[std::size_t(index)]};
      case Opcode::opt_barrier:
        if (instruction.operands.size() == 1) return element({tuple.frame, instruction.operands[0]}, index);
        return Source{tuple.frame, instruction.operands[std::size_t(index)]};
      case Opcode::copy:
        return element({tuple.frame, instruction.operands[0]}, index);
      case Opcode::get_tuple_element: {
        const auto inner = element({tuple.frame, instruction.operands[0]}, instruction.index);
        return inner ? element(*inner, index) : std::nullopt;
      }
      case Opcode::call:
      case Opcode::fusion:
        return element(root_of(tuple), index);
      case Opcode::while_loop:
        if (!is_loop_invariant(module_.computations[std::size_t(instruction.called[1])], index)) return std::nullopt;
        return element({tuple.frame, instruction.operands[0]}, index);
      case Opcode::parameter: {
        const Instruction* by = tuple.frame->by;
        const bool loop = by != nullptr && by->opcode == Opcode::while_loop;
        if (loop && !is_loop_invariant(module_.computations[std::size_t(by->called[1])], index)) return std::nullopt;
        const auto given = argument(tuple);
        return given ? element(*given, index) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  /// Returns the caller's argument for a parameter. For a loop's state it is the initial value, which holds for
  /// elements that do not change.
  static std::optional<Source> argument(Source parameter) {
    const Instruction* by = parameter.frame->by;
    if (by == nullptr) return std::nullopt;
    const CallFrame* caller = parameter.frame->caller;
    std::size_t operand = std::size_t(parameter.instruction().index);
    if (by->opcode == Opcode::while_loop) {
      if (!parameter.instruction().shape.is_tuple()) return std::nullopt;
      operand = 0;
    } else if (by->opcode == Opcode::conditional) {
      operand = 1 + std::size_t(parameter.frame->branch);
    }
    if (operand >= by->operands.size()) return std::nullopt;
    return Source{caller, by->operands[operand]};
  }

  Source root_of(Source caller) {
    const Computation& body = module_.computations[std::size_t(caller.instruction().called[0])];
    const CallFrame*& frame = inner_[caller.key()];
    if (frame == nullptr) frame = &frames_.emplace_back(CallFrame{body, &caller.instruction(), caller.frame});
    return {frame, body.root};
  }

  const Module& module_;
  build::GraphBuilder builder_{"extracted"};
  std::map<std::pair<const CallFrame*, InstructionId>, InstructionId> copies_;
  std::map<std::pair<const CallFrame*, InstructionId>, const CallFrame*> inner_;
  std::deque<CallFrame> frames_;
  int budget_ = max_evaluated;
};

/// The branch that HLO chooses: for a pred the first of two if it is true; for a number the branch of that number, or
/// the last one if there is none.
int chosen(const Instruction& conditional, const Literal& index) {
  const std::int64_t last = std::int64_t(conditional.called.size()) - 1;
  const std::int64_t written = std::int64_t(index.values[0]);
  if (index.shape.element_type == ElementType::pred) return written != 0 ? 0 : 1;
  return int(written < 0 || written > last ? last : written);
}

}  // namespace

std::optional<std::vector<int>> branch_of_devices(const Module& module, const CallFrame& frame,
                                                  const Instruction& conditional) {
  Extraction extraction(module);
  const std::optional<InstructionId> index = extraction.copy({&frame, conditional.operands[0]});
  if (!index) return std::nullopt;
  const Module extracted = std::move(extraction).build(*index);
  const std::vector<std::vector<Literal>> arguments(std::size_t(module.replicas * module.partitions));
  std::vector<int> branches;
  for (const Literal& value : eval::evaluate_partitions(extracted, arguments))
    branches.push_back(chosen(conditional, value));
  return branches;
}

std::vector<std::vector<std::int32_t>> groups_within(std::span<const std::int32_t> cores,
                                                     const std::vector<std::vector<std::int32_t>>& groups,
                                                     std::string_view collective) {
  const auto is_here = [&](std::int32_t core) { return std::ranges::binary_search(cores, core); };
  std::vector<std::vector<std::int32_t>> within;
  for (const std::vector<std::int32_t>& group : groups) {
    const auto here = std::ranges::count_if(group, is_here);
    if (here == 0) continue;
    if (std::size_t(here) < group.size()) {
      const std::int32_t missing = *std::ranges::find_if_not(group, is_here);
      throw base::SimulationError(fmt::format(
          "%{} is in a branch that core {} does not take, with which others of its group wait", collective, missing));
    }
    within.push_back(group);
  }
  if (groups.empty()) {
    throw base::SimulationError(
        fmt::format("%{} joins all cores and is in a branch that only {} of them take", collective, cores.size()));
  }
  return within;
}

}  // namespace podsim::hlo::transform
