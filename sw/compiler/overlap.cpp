// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/overlap.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/compiler/fuse/rebuild.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/module_time.h"
#include "sw/compiler/tiles/op_work.h"

namespace podsim::sw::compiler {
namespace {

using ir::InstructionId;

bool may_overlap(const ir::Instruction& instruction) {
  if (instruction.phase != ir::AsyncPhase::none || instruction.operands.empty()) return false;
  return instruction.opcode == ir::Opcode::all_reduce || instruction.opcode == ir::Opcode::reduce_scatter ||
         instruction.opcode == ir::Opcode::all_gather;
}

/// True for instructions that keep their order among themselves.
bool keeps_its_turn(const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case ir::Opcode::infeed:
    case ir::Opcode::outfeed:
    case ir::Opcode::send:
    case ir::Opcode::send_done:
    case ir::Opcode::recv:
    case ir::Opcode::recv_done:
    case ir::Opcode::custom_call:
    case ir::Opcode::while_loop:
    case ir::Opcode::conditional:
    case ir::Opcode::call:
    case ir::Opcode::async_start:
      return true;
    default:
      return instruction.phase != ir::AsyncPhase::none;
  }
}

bool is_control_flow(const ir::Instruction& instruction) {
  return instruction.opcode == ir::Opcode::while_loop || instruction.opcode == ir::Opcode::conditional ||
         instruction.opcode == ir::Opcode::call || instruction.opcode == ir::Opcode::async_start;
}

/// Estimated durations of the instructions of a module, in seconds.
class Durations {
 public:
  Durations(const ir::Module& module, const hw::Machine& machine) : module_(module), machine_(machine), ops_(machine) {}

  /// Time of an op on the core, or of all that control flow executes.
  double on_core(const ir::Computation& computation, InstructionId id) {
    const ir::Instruction& instruction = computation[id];
    if (instruction.phase == ir::AsyncPhase::done) return 0;
    if (tiles::is_core_op(computation, id)) {
      return (ops_.cycles_of(module_, computation, id) / machine_.clock).si();
    }
    if (!is_control_flow(instruction)) return 0;
    double time = 0;
    for (const ir::ComputationId called : instruction.called) {
      const double inside = of_all(module_.computations[std::size_t(called)]);
      time = instruction.opcode == ir::Opcode::conditional ? std::max(time, inside) : time + inside;
    }
    return time * double(std::max<std::int64_t>(1, instruction.trip_count));
  }

  /// Time of a collective on an idle network.
  double in_network(const ir::Computation& computation, InstructionId id) const {
    const ir::Instruction& instruction = computation[id];
    base::Bytes operands;
    for (const InstructionId operand : instruction.operands) operands += ir::logical_bytes(computation[operand].shape);
    const base::Bytes bytes = std::max(operands, ir::logical_bytes(instruction.shape));
    const double links = instruction.opcode == ir::Opcode::all_reduce ? 2 : 4;
    return (bytes / (machine_.ici.payload_rate() * links)).si();
  }

 private:
  double of_all(const ir::Computation& computation) {
    double time = 0;
    for (InstructionId id = 0; id < InstructionId(computation.instructions.size()); ++id) {
      time += may_overlap(computation[id]) ? in_network(computation, id) : on_core(computation, id);
    }
    return time;
  }

  const ir::Module& module_;
  const hw::Machine& machine_;
  ModuleTimes ops_;
};

/// What the scheduler knows of an instruction.
struct Step {
  bool is_step = false;      ///< takes time or its turn; others only name values, and come where they are needed
  bool is_transfer = false;  ///< a collective that is started and waited for
  bool is_early = false;     ///< a transfer of a parameter's elements or of what light ops make of them
  double time = 0;           ///< on the core, or in the network
  std::vector<InstructionId> after;  ///< steps that have to be over, or for the sake of order issued, before it
  InstructionId reader = 0;          ///< of a transfer: the first step that needs its result
};

/// The steps of a computation and what each waits for.
class Dependences {
 public:
  Dependences(const ir::Module& module, const ir::Computation& computation, Durations& durations)
      : module_(module),
        computation_(computation),
        steps_(computation.instructions.size()),
        values_(steps_.size()),
        readers_(steps_.size()),
        of_parameters_(steps_.size(), false) {
    const auto count = InstructionId(steps_.size());
    for (InstructionId id = 0; id < count; ++id) add(id, durations);
    for (InstructionId id = count; id-- > 0;) {
      if (!steps_[std::size_t(id)].is_step) continue;
      for (const InstructionId before : steps_[std::size_t(id)].after) steps_[std::size_t(before)].reader = id;
    }
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  void add(InstructionId id, Durations& durations) {
    const ir::Instruction& instruction = computation_[id];
    Step& step = steps_[std::size_t(id)];
    step.is_transfer = may_overlap(instruction);
    step.time = step.is_transfer ? durations.in_network(computation_, id) : durations.on_core(computation_, id);
    step.is_step = step.is_transfer || step.time > 0 || keeps_its_turn(instruction);
    step.reader = InstructionId(steps_.size());
    find_value(id);
    bool from_parameters = instruction.opcode == ir::Opcode::parameter || !instruction.operands.empty();
    for (const InstructionId operand : instruction.operands) {
      const Step& source = steps_[std::size_t(operand)];
      if (source.is_step) {
        step.after.push_back(operand);
      } else {
        step.after.insert(step.after.end(), source.after.begin(), source.after.end());
      }
      from_parameters = from_parameters && of_parameters_[std::size_t(operand)];
    }
    step.is_early = step.is_transfer && instruction.opcode == ir::Opcode::all_gather && from_parameters;
    of_parameters_[std::size_t(id)] = from_parameters && !step.is_transfer && !keeps_its_turn(instruction);
    if (step.is_step) follow_readers(id);
    if (keeps_its_turn(instruction)) {
      if (turn_) step.after.push_back(*turn_);
      turn_ = id;
    }
    std::ranges::sort(step.after);
    step.after.erase(std::ranges::unique(step.after).begin(), step.after.end());
  }

  /// Names the arrays that a value consists of by the instructions that made them.
  void find_value(InstructionId id) {
    std::vector<InstructionId>& value = values_[std::size_t(id)];
    if (steps_[std::size_t(id)].is_step || computation_[id].operands.empty()) {
      value = {id};
      return;
    }
    for (const InstructionId operand : computation_[id].operands) {
      const std::vector<InstructionId>& part = values_[std::size_t(operand)];
      value.insert(value.end(), part.begin(), part.end());
    }
  }

  /// Puts a step that writes to an operand's memory behind the steps that read it.
  void follow_readers(InstructionId id) {
    const ir::Instruction& instruction = computation_[id];
    const int updated = updated_operand(module_, instruction);
    std::vector<InstructionId>& after = steps_[std::size_t(id)].after;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      for (const InstructionId array : values_[std::size_t(instruction.operands[i])]) {
        std::vector<InstructionId>& readers = readers_[std::size_t(array)];
        if (int(i) == updated || is_control_flow(instruction)) {
          std::ranges::copy_if(readers, std::back_inserter(after), [id](InstructionId reader) { return reader != id; });
        }
        readers.push_back(id);
      }
    }
  }

  const ir::Module& module_;
  const ir::Computation& computation_;
  std::vector<Step> steps_;
  std::vector<std::vector<InstructionId>> values_;   ///< the instructions that made the arrays of a value
  std::vector<std::vector<InstructionId>> readers_;  ///< by such an instruction: the steps so far
  std::vector<bool> of_parameters_;
  std::optional<InstructionId> turn_;  ///< the last step that keeps its turn
};

/// Schedules one computation: see the header.
class ListScheduler {
 public:
  ListScheduler(const ir::Computation& computation, const std::vector<Step>& steps, int look_ahead)
      : computation_(computation),
        steps_(steps),
        look_ahead_(look_ahead),
        ends_(steps.size(), 0),
        placed_(steps.size(), false),
        done_(steps.size(), -1) {
    for (InstructionId id = 0; id < InstructionId(steps.size()); ++id) {
      if (steps[std::size_t(id)].is_step) open_.push_back(id);
    }
  }

  ir::Computation run() {
    while (!open_.empty()) {
      start_transfers();
      if (!open_.empty()) issue(next());
    }
    for (InstructionId id = 0; id < InstructionId(steps_.size()); ++id) place_result(id);
    return rewritten();
  }

 private:
  struct Wait {
    bool is_possible = false;  ///< all that it waits for has been issued
    double until = 0;
  };
  Wait wait_of(InstructionId id) const {
    Wait wait{.is_possible = true};
    for (const InstructionId before : steps_[std::size_t(id)].after) {
      if (!placed_[std::size_t(before)]) return {};
      wait.until = std::max(wait.until, ends_[std::size_t(before)]);
    }
    return wait;
  }

  /// The step that comes next. Transfers that are ready have been started.
  InstructionId next() const {
    const double wait = wait_of(open_.front()).until - now_;
    for (std::size_t i = 1; wait > 0 && i < open_.size() && i <= std::size_t(look_ahead_); ++i) {
      const Step& step = steps_[std::size_t(open_[i])];
      if (step.is_transfer || step.time > 2 * wait) continue;
      const Wait other = wait_of(open_[i]);
      if (other.is_possible && other.until <= now_) return open_[i];
    }
    return open_.front();
  }

  /// Starts the transfers whose operands are there, as far ahead as the scheduler looks.
  void start_transfers() {
    while (const auto ready = ready_transfer()) {
      issue_operands(*ready);
      issue(*ready);
    }
  }

  std::optional<InstructionId> ready_transfer() const {
    double ahead = 0;  ///< time of the ops between here and a transfer
    for (std::size_t i = 0; i < open_.size() && i <= std::size_t(look_ahead_); ++i) {
      const InstructionId id = open_[i];
      const Step& step = steps_[std::size_t(id)];
      if (!step.is_transfer) {
        ahead += step.time;
        continue;
      }
      if (step.is_early && i > 0) {
        if (is_due(i, ahead) && makes_light_work(id)) return id;
        continue;
      }
      const Wait wait = wait_of(id);
      if (wait.is_possible && wait.until <= now_) return id;
    }
    return std::nullopt;
  }

  /// True if a transfer that starts behind the next op would not end before its first reader. `ahead`: time of the ops
  /// before it.
  bool is_due(std::size_t at, double ahead) const {
    const Step& transfer = steps_[std::size_t(open_[at])];
    for (std::size_t i = at; i < open_.size() && open_[i] < transfer.reader; ++i) {
      const Step& step = steps_[std::size_t(open_[i])];
      if (!step.is_transfer) ahead += step.time;
    }
    const Step& next = steps_[std::size_t(open_.front())];
    const double start = now_ + (next.is_transfer ? 0 : next.time);
    return now_ + ahead < std::max(start, network_free_) + transfer.time;
  }

  /// True if what a transfer still waits for is ops that together are shorter than it is.
  bool makes_light_work(InstructionId id) const {
    std::vector<InstructionId> open{id};
    double time = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (const InstructionId before : steps_[std::size_t(open[i])].after) {
        if (placed_[std::size_t(before)] || std::ranges::find(open, before) != open.end()) continue;
        const Step& step = steps_[std::size_t(before)];
        time += step.time;
        if (step.is_transfer || keeps_its_turn(computation_[before]) || time > steps_[std::size_t(id)].time)
          return false;
        open.push_back(before);
      }
    }
    return true;
  }

  void issue_operands(InstructionId id) {
    for (const InstructionId before : steps_[std::size_t(id)].after) {
      if (placed_[std::size_t(before)]) continue;
      issue_operands(before);
      issue(before);
    }
  }

  void issue(InstructionId id) {
    const Step& step = steps_[std::size_t(id)];
    const double ready = std::max(now_, wait_of(id).until);
    if (step.is_transfer) {
      ends_[std::size_t(id)] = network_free_ = std::max(ready, network_free_) + step.time;
    } else {
      ends_[std::size_t(id)] = now_ = ready + step.time;
    }
    for (const InstructionId before : step.after) place_result(before);
    place(id);
    open_.erase(std::ranges::find(open_, id));
  }

  /// Appends an instruction behind its operands.
  void place(InstructionId id) {
    if (placed_[std::size_t(id)]) return;
    for (const InstructionId operand : computation_[id].operands) place_result(operand);
    placed_[std::size_t(id)] = true;
    order_.push_back(id);
  }

  void place_result(InstructionId id) {
    place(id);
    if (!steps_[std::size_t(id)].is_transfer || done_[std::size_t(id)] >= 0) return;
    done_[std::size_t(id)] = InstructionId(steps_.size() + starts_.size());
    order_.push_back(done_[std::size_t(id)]);
    starts_.push_back(id);
  }

  ir::Computation rewritten() {
    ir::Computation result = computation_;
    for (ir::Instruction& instruction : result.instructions) {
      for (InstructionId& operand : instruction.operands) operand = result_of(operand);
    }
    result.root = result_of(result.root);
    for (const InstructionId start : starts_) {
      ir::Instruction done = result[start];
      result[start].phase = ir::AsyncPhase::start;
      done.phase = ir::AsyncPhase::done;
      done.name += ".done";
      done.operands = {start};
      result.instructions.push_back(std::move(done));
    }
    return fuse::sorted_topologically(std::move(result), order_);
  }

  InstructionId result_of(InstructionId id) const { return done_[std::size_t(id)] >= 0 ? done_[std::size_t(id)] : id; }

  const ir::Computation& computation_;
  const std::vector<Step>& steps_;
  int look_ahead_;                   ///< number of steps behind the next one
  std::vector<InstructionId> open_;  ///< steps that are not issued, in the program's order
  std::vector<double> ends_;
  std::vector<bool> placed_;
  std::vector<InstructionId> done_;    ///< of a transfer that has been waited for
  std::vector<InstructionId> starts_;  ///< of the dones, which get the ids behind all others
  std::vector<InstructionId> order_;
  double now_ = 0, network_free_ = 0;
};

}  // namespace

ir::Module overlap_collectives(ir::Module fused, const hw::Machine& machine, std::span<const ir::Donation> donations) {
  if (fused.scheduled) return fused;
  Durations durations(fused, machine);
  const std::vector<bool> executed = ir::executed_computations(fused);
  std::vector<std::vector<Step>> steps(fused.computations.size());
  for (std::size_t i = 0; i < executed.size(); ++i) {
    const auto& instructions = fused.computations[i].instructions;
    if (executed[i] && std::ranges::any_of(instructions, may_overlap)) {
      steps[i] = Dependences(fused, fused.computations[i], durations).take();
    }
  }
  const base::Bytes most = std::max(machine.hbm.capacity_per_core, account_memory(fused, donations).peak);
  for (const int look_ahead : {512, 64, 8, 0}) {
    ir::Module overlapped = fused;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].empty()) continue;
      overlapped.computations[i] = ListScheduler(fused.computations[i], steps[i], look_ahead).run();
    }
    if (account_memory(overlapped, donations).peak <= most) return overlapped;
  }
  return fused;
}

}  // namespace podsim::sw::compiler
