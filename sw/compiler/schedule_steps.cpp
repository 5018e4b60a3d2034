// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/schedule_steps.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "sw/collectives/engine/assumed_times.h"
#include "sw/compiler/collective_cores.h"
#include "sw/compiler/collective_op.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/op_costs.h"
#include "sw/compiler/tiles/core_op.h"

namespace podsim::sw::compiler {

using hlo::InstructionId;

bool may_overlap(const hlo::Instruction& instruction) {
  if (instruction.phase != hlo::AsyncPhase::none || instruction.operands.empty()) return false;
  return instruction.opcode == hlo::Opcode::all_reduce || instruction.opcode == hlo::Opcode::reduce_scatter ||
         instruction.opcode == hlo::Opcode::all_gather;
}

bool keeps_its_turn(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::infeed:
    case hlo::Opcode::outfeed:
    case hlo::Opcode::send:
    case hlo::Opcode::send_done:
    case hlo::Opcode::recv:
    case hlo::Opcode::recv_done:
    case hlo::Opcode::custom_call:
    case hlo::Opcode::while_loop:
    case hlo::Opcode::conditional:
    case hlo::Opcode::call:
    case hlo::Opcode::async_start:
      return true;
    default:
      return instruction.phase != hlo::AsyncPhase::none;
  }
}

namespace {

bool is_control_flow(const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::while_loop || instruction.opcode == hlo::Opcode::conditional ||
         instruction.opcode == hlo::Opcode::call || instruction.opcode == hlo::Opcode::async_start;
}

/// Estimated durations of the instructions of a module, in seconds.
class Durations {
 public:
  /// `executed` marks the computations that are.
  Durations(const hlo::Module& module, const std::vector<bool>& executed, const TargetMachine& machine, OpCache* cache)
      : module_(module),
        machine_(machine),
        ops_(machine, cache),
        collectives_(machine, module.replicas * module.partitions),
        cores_(module.replicas, module.partitions),
        computations_(executed.size(), 0) {
    for (std::size_t called = 0; called < executed.size(); ++called) {  // before those that call it
      if (executed[called]) computations_[called] = of_all(module.computations[called]);
    }
  }

  /// Time of an op on the core, or of all that control flow executes.
  double on_core(const hlo::Computation& computation, InstructionId id) {
    const hlo::Instruction& instruction = computation[id];
    if (instruction.phase == hlo::AsyncPhase::done) return 0;
    if (tiles::is_core_op(computation, id)) {
      return (ops_.cycles(module_, computation, id) / machine_.clock).si();
    }
    if (!is_control_flow(instruction)) return 0;
    double time = 0;
    for (const hlo::ComputationId called : instruction.called) {
      const double inside = computations_[std::size_t(called)];
      time = instruction.opcode == hlo::Opcode::conditional ? std::max(time, inside) : time + inside;
    }
    return time * double(std::max<std::int64_t>(1, instruction.trip_count));
  }

  /// Time of a collective on an idle network.
  double in_network(const hlo::Computation& computation, InstructionId id) {
    return collectives_.of(request_of(collective_op(computation, id)), cores_.of(computation[id])).si();
  }

 private:
  double of_all(const hlo::Computation& computation) {
    double time = 0;
    for (InstructionId id = 0; id < InstructionId(computation.instructions.size()); ++id) {
      time += may_overlap(computation[id]) ? in_network(computation, id) : on_core(computation, id);
    }
    return time;
  }

  const hlo::Module& module_;
  const TargetMachine& machine_;
  OpCosts ops_;
  collectives::engine::AssumedTimes collectives_;
  CollectiveCores cores_;
  std::vector<double> computations_;  ///< one execution of each
};

/// The steps of a computation and what each waits for.
class Dependences {
 public:
  Dependences(const hlo::Module& module, const hlo::Computation& computation, Durations& durations)
      : module_(module),
        computation_(computation),
        steps_(computation.instructions.size()),
        origins_(steps_.size()),
        readers_(steps_.size()),
        of_parameters_(steps_.size(), false) {
    const auto count = InstructionId(steps_.size());
    for (InstructionId id = 0; id < count; ++id) add(id, durations);
    for (InstructionId id = count; id-- > 0;) {
      if (!steps_[std::size_t(id)].is_step) continue;
      for (const InstructionId before : steps_[std::size_t(id)].after) steps_[std::size_t(before)].reader = id;
    }
  }

  std::vector<ScheduleStep> take() { return std::move(steps_); }

 private:
  void add(InstructionId id, Durations& durations) {
    const hlo::Instruction& instruction = computation_[id];
    ScheduleStep& step = steps_[std::size_t(id)];
    step.is_transfer = may_overlap(instruction);
    step.time = step.is_transfer ? durations.in_network(computation_, id) : durations.on_core(computation_, id);
    step.keeps_its_turn = keeps_its_turn(instruction);
    step.is_step = step.is_transfer || step.time > 0 || step.keeps_its_turn;
    step.reader = InstructionId(steps_.size());
    origins_[std::size_t(id)] = origin_of(id);
    bool from_parameters = instruction.opcode == hlo::Opcode::parameter || !instruction.operands.empty();
    for (const InstructionId operand : instruction.operands) {
      const ScheduleStep& source = steps_[std::size_t(operand)];
      if (source.is_step) {
        step.after.push_back(operand);
      } else {
        step.after.insert(step.after.end(), source.after.begin(), source.after.end());
      }
      from_parameters = from_parameters && of_parameters_[std::size_t(operand)];
    }
    step.is_early = step.is_transfer && instruction.opcode == hlo::Opcode::all_gather && from_parameters;
    of_parameters_[std::size_t(id)] = from_parameters && !step.is_transfer && !step.keeps_its_turn;
    if (step.is_step) follow_readers(id);
    if (step.keeps_its_turn) {
      if (turn_) step.after.push_back(*turn_);
      turn_ = id;
    }
    std::ranges::sort(step.after);
    step.after.erase(std::ranges::unique(step.after).begin(), step.after.end());
  }

  /// The instruction that made a value: a step, a tuple, a parameter or a constant. Others between it and the value
  /// only rename it.
  InstructionId origin_of(InstructionId id) const {
    const hlo::Instruction& instruction = computation_[id];
    if (steps_[std::size_t(id)].is_step || instruction.operands.empty() || instruction.opcode == hlo::Opcode::tuple) {
      return id;
    }
    const InstructionId origin = origins_[std::size_t(instruction.operands[0])];
    const hlo::Instruction& tuple = computation_[origin];
    const bool element = instruction.opcode == hlo::Opcode::get_tuple_element && tuple.opcode == hlo::Opcode::tuple &&
                         std::size_t(instruction.index) < tuple.operands.size();
    return element ? origins_[std::size_t(tuple.operands[std::size_t(instruction.index)])] : origin;
  }

  /// The origins of the arrays in a value.
  std::vector<InstructionId> arrays_in(InstructionId id) const {
    std::vector<InstructionId> arrays, open{origins_[std::size_t(id)]};
    std::set<InstructionId> seen;
    while (!open.empty()) {
      const InstructionId origin = open.back();
      open.pop_back();
      if (!seen.insert(origin).second) continue;
      if (computation_[origin].opcode != hlo::Opcode::tuple) {
        arrays.push_back(origin);
        continue;
      }
      for (const InstructionId operand : computation_[origin].operands) {
        open.push_back(origins_[std::size_t(operand)]);
      }
    }
    return arrays;
  }

  /// Puts a step that writes to an operand's memory behind the steps that read it.
  void follow_readers(InstructionId id) {
    const hlo::Instruction& instruction = computation_[id];
    const int updated = updated_operand(module_, instruction);
    std::vector<InstructionId>& after = steps_[std::size_t(id)].after;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      for (const InstructionId array : arrays_in(instruction.operands[i])) {
        std::vector<InstructionId>& readers = readers_[std::size_t(array)];
        if (int(i) == updated || is_control_flow(instruction)) {
          std::ranges::copy_if(readers, std::back_inserter(after), [id](InstructionId reader) { return reader != id; });
        }
        readers.push_back(id);
      }
    }
  }

  const hlo::Module& module_;
  const hlo::Computation& computation_;
  std::vector<ScheduleStep> steps_;
  std::vector<InstructionId> origins_;
  std::vector<std::vector<InstructionId>> readers_;  ///< by origin of an array: the steps so far
  std::vector<bool> of_parameters_;
  std::optional<InstructionId> turn_;  ///< the last step that keeps its turn
};

}  // namespace

std::vector<std::vector<ScheduleStep>> schedule_steps(const hlo::Module& module, const TargetMachine& machine,
                                                      OpCache* cache) {
  const std::vector<bool> executed = hlo::executed_computations(module);
  Durations durations(module, executed, machine, cache);
  std::vector<std::vector<ScheduleStep>> steps(module.computations.size());
  for (std::size_t i = 0; i < executed.size(); ++i) {
    const hlo::Computation& computation = module.computations[i];
    if (!executed[i] || std::ranges::none_of(computation.instructions, may_overlap)) continue;
    steps[i] = Dependences(module, computation, durations).take();
  }
  return steps;
}

}  // namespace podsim::sw::compiler
