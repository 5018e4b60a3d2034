// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/partition_branch.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "sw/ir/build/graph_builder.h"
#include "sw/ir/eval/evaluator.h"
#include "sw/ir/eval/rearrangement.h"

namespace podsim::sw::compiler {
namespace {

constexpr int most_instructions = 256;
constexpr std::int64_t most_elements = std::int64_t(1) << 16;

/// A value in a computation, with the frame that executes it.
struct Source {
  const CallFrame* frame = nullptr;
  ir::InstructionId id = -1;
  const ir::Instruction& instruction() const { return frame->computation[id]; }
  auto key() const { return std::pair(frame, id); }
};

/// Returns whether a loop's body passes element `index` of its state on unchanged.
bool is_loop_invariant(const ir::Computation& body, std::int64_t index) {
  const ir::Instruction& root = body[body.root];
  if (root.opcode != ir::Opcode::tuple || index >= std::int64_t(root.operands.size())) return false;
  const ir::Instruction& element = body[root.operands[std::size_t(index)]];
  return element.opcode == ir::Opcode::get_tuple_element && element.index == index &&
         body[element.operands[0]].opcode == ir::Opcode::parameter;
}

/// Copies the computation of a value into a graph without parameters, through loops and calls.
class Extraction {
 public:
  explicit Extraction(const ir::Module& module) : module_(module) {}

  /// Copies an array. Returns std::nullopt if it depends on unknown values.
  std::optional<ir::InstructionId> copy(Source source) {
    const std::optional<Source> origin = origin_of(source);
    if (!origin) return std::nullopt;
    if (const auto found = copies_.find(origin->key()); found != copies_.end()) return found->second;
    const ir::Instruction& instruction = origin->instruction();
    if (!is_known_operation(instruction) || --budget_ < 0) return std::nullopt;
    ir::Instruction copied = instruction;
    for (ir::InstructionId& operand : copied.operands) {
      const std::optional<ir::InstructionId> known = copy({origin->frame, operand});
      if (!known) return std::nullopt;
      operand = *known;
    }
    return copies_[origin->key()] = builder_.add(std::move(copied));
  }

  ir::Module build(ir::InstructionId root) && {
    ir::Module extracted = std::move(builder_).build(root);
    extracted.replicas = module_.replicas;
    extracted.partitions = module_.partitions;
    return extracted;
  }

 private:
  bool is_known_operation(const ir::Instruction& instruction) const {
    if (instruction.shape.is_tuple() || instruction.shape.element_count() > most_elements) return false;
    if (instruction.phase != ir::AsyncPhase::none || !instruction.called.empty()) return false;
    switch (instruction.opcode) {
      case ir::Opcode::constant:
        return instruction.literal != nullptr;
      case ir::Opcode::partition_id:
      case ir::Opcode::replica_id:
        return module_.replicas * module_.partitions > 1;
      case ir::Opcode::dynamic_slice:
        return true;
      default:
        return ir::is_elementwise(instruction.opcode) || ir::eval::is_rearrangement(instruction.opcode);
    }
  }

  /// Returns the instruction that computes an array, found through tuples, calls, fusions, barriers, and parameters of
  /// inner computations.
  std::optional<Source> origin_of(Source source) {
    if (--budget_ < 0) return std::nullopt;
    const ir::Instruction& instruction = source.instruction();
    switch (instruction.opcode) {
      case ir::Opcode::get_tuple_element:
        return through(element({source.frame, instruction.operands[0]}, instruction.index));
      case ir::Opcode::parameter:
        return through(argument(source));
      case ir::Opcode::copy:
        return origin_of({source.frame, instruction.operands[0]});
      case ir::Opcode::opt_barrier:
        if (instruction.operands.size() != 1) return std::nullopt;
        return origin_of({source.frame, instruction.operands[0]});
      case ir::Opcode::call:
      case ir::Opcode::fusion:
        return origin_of(root_of(source));
      default:
        return source;
    }
  }

  std::optional<Source> through(std::optional<Source> source) { return source ? origin_of(*source) : std::nullopt; }

  /// Returns element `index` of a tuple.
  std::optional<Source> element(Source tuple, std::int64_t index) {
    if (--budget_ < 0) return std::nullopt;
    const ir::Instruction& instruction = tuple.instruction();
    switch (instruction.opcode) {
      case ir::Opcode::tuple:
        return Source{tuple.frame, instruction.operands[std::size_t(index)]};
      case ir::Opcode::opt_barrier:
        if (instruction.operands.size() == 1) return element({tuple.frame, instruction.operands[0]}, index);
        return Source{tuple.frame, instruction.operands[std::size_t(index)]};
      case ir::Opcode::copy:
        return element({tuple.frame, instruction.operands[0]}, index);
      case ir::Opcode::get_tuple_element: {
        const auto inner = element({tuple.frame, instruction.operands[0]}, instruction.index);
        return inner ? element(*inner, index) : std::nullopt;
      }
      case ir::Opcode::call:
      case ir::Opcode::fusion:
        return element(root_of(tuple), index);
      case ir::Opcode::while_loop:
        if (!is_loop_invariant(module_.computations[std::size_t(instruction.called[1])], index)) return std::nullopt;
        return element({tuple.frame, instruction.operands[0]}, index);
      case ir::Opcode::parameter: {
        const ir::Instruction* by = tuple.frame->by;
        const bool loop = by != nullptr && by->opcode == ir::Opcode::while_loop;
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
    const ir::Instruction* by = parameter.frame->by;
    if (by == nullptr) return std::nullopt;
    const CallFrame* caller = parameter.frame->caller;
    std::size_t operand = std::size_t(parameter.instruction().index);
    if (by->opcode == ir::Opcode::while_loop) {
      if (!parameter.instruction().shape.is_tuple()) return std::nullopt;
      operand = 0;
    } else if (by->opcode == ir::Opcode::conditional) {
      operand = 1 + std::size_t(parameter.frame->branch);
    }
    if (operand >= by->operands.size()) return std::nullopt;
    return Source{caller, by->operands[operand]};
  }

  Source root_of(Source caller) {
    const ir::Computation& body = module_.computations[std::size_t(caller.instruction().called[0])];
    const CallFrame*& frame = inner_[caller.key()];
    if (frame == nullptr) frame = &frames_.emplace_back(CallFrame{body, &caller.instruction(), caller.frame});
    return {frame, body.root};
  }

  const ir::Module& module_;
  ir::build::GraphBuilder builder_{"extracted"};
  std::map<std::pair<const CallFrame*, ir::InstructionId>, ir::InstructionId> copies_;
  std::map<std::pair<const CallFrame*, ir::InstructionId>, const CallFrame*> inner_;
  std::deque<CallFrame> frames_;
  int budget_ = most_instructions;
};

/// The branch that HLO chooses: for a pred the first of two if it is true; for a number the branch of that number, or
/// the last one if there is none.
int chosen(const ir::Instruction& conditional, const ir::Literal& index) {
  const std::int64_t last = std::int64_t(conditional.called.size()) - 1;
  const std::int64_t written = std::int64_t(index.values[0]);
  if (index.shape.element_type == ir::ElementType::pred) return written != 0 ? 0 : 1;
  return int(written < 0 || written > last ? last : written);
}

}  // namespace

std::optional<std::vector<int>> branch_of_devices(const ir::Module& module, const CallFrame& frame,
                                                  const ir::Instruction& conditional) {
  Extraction extraction(module);
  const std::optional<ir::InstructionId> index = extraction.copy({&frame, conditional.operands[0]});
  if (!index) return std::nullopt;
  const ir::Module extracted = std::move(extraction).build(*index);
  const std::vector<std::vector<ir::Literal>> arguments(std::size_t(module.replicas * module.partitions));
  std::vector<int> branches;
  for (const ir::Literal& value : ir::eval::evaluate_partitions(extracted, arguments))
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

}  // namespace podsim::sw::compiler
