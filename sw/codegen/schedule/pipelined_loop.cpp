// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/pipelined_loop.h"

#include <algorithm>
#include <bit>

#include "base/units.h"
#include "sw/codegen/schedule/bundle_packer.h"
#include "sw/codegen/schedule/in_order_scheduler.h"
#include "sw/codegen/schedule/loop_expansion.h"
#include "sw/codegen/schedule/modulo_scheduler.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;

namespace {

/// Minimum number of bundles of a loop's kernel, so that the branch's penalty is a few per cent of them.
constexpr int kernel_rows = 512;
/// Minimum number if the trip count is in a register, since iterations that do not fill a kernel do not overlap.
constexpr int kernel_rows_of_unknown_trips = 48;
/// Maximum number of bundles of a loop that is unrolled completely because its kernel would have few passes.
constexpr int written_out_rows = 2048;

registers::Operation make(hw::isa::Opcode opcode, registers::Register d, registers::Operand x, registers::Operand y) {
  registers::Operation operation;
  operation.opcode = opcode;
  operation.destination = d;
  operation.x = x;
  operation.y = y;
  return operation;
}
registers::Operation when(registers::Register predicate, registers::Operation operation) {
  operation.predicate = predicate;
  return operation;
}
registers::Operation branch(hw::isa::Opcode opcode, registers::Register counter) {
  return make(opcode, registers::Register(), registers::Operand::of(counter), registers::Operand::of(unknown_target));
}

/// Returns the body's operations, with the literals of inductions replaced by distinct 16-bit ones. They take as many
/// immediates as the final literals, up to 16 bits.
std::vector<registers::Operation> with_long_literals(const LoopBody& body) {
  std::vector<registers::Operation> operations = body.operations;
  std::int32_t distinct = 0x2000;
  for (registers::Operation& operation : operations) {
    if (follows_induction(body, operation)) operation.y.value = distinct++ & 0x7fff;
  }
  return operations;
}

/// Returns the registers left for the values of iterations, after one for each value that lives longer.
RegisterBudget left_for_iterations(const LoopScope& scope, const LoopBody& body) {
  RegisterBudget left = scope.registers_left;
  registers::RegisterSet lasting = scope.region.live_in;
  lasting.unite(scope.region.live_around);
  lasting.for_each([&](int number) {
    if (!body.renamed.contains(number)) --left[std::size_t(registers::Register::from_number(number).cls())];
  });
  constexpr int counters = 2;
  left[std::size_t(registers::RegisterClass::scalar)] -= counters;
  return left;
}

class OverlappedLoop {
 public:
  OverlappedLoop(const LoopScope& scope, const LoopBody& body, const ModuloSchedule& schedule,
                 RegisterSource& registers)
      : scope_(scope), body_(body), schedule_(schedule), registers_(registers), stages_(schedule.stages()) {
    for (const auto& [number, lifetime] : find_lifetimes(scope.machine, body.operations, body.renamed, schedule)) {
      copies_ = std::max(copies_, int(base::divide_round_up(lifetime.end - lifetime.begin, schedule.interval)));
    }
  }

  std::optional<registers::BlockList> run() {
    const registers::Operand& trips = scope_.region.loop->trips;
    return trips.literal ? run_trips(trips.value) : run_unknown_trips(trips.reg);
  }

 private:
  int interval() const { return schedule_.interval; }
  int kernel_copies(int rows) const { return std::max(copies_, int(base::divide_round_up(rows, schedule_.interval))); }

  std::optional<registers::BlockList> run_trips(int trips) {
    const int unrolled = kernel_copies(kernel_rows);
    const int begun_in_kernel = trips - (stages_ - 1);
    const bool few =
        begun_in_kernel < 2 * copies_ || (begun_in_kernel < 2 * unrolled && trips * interval() <= written_out_rows);
    if (few) return write_out(trips);
    const int copies = std::min(unrolled, begun_in_kernel / 2);
    registers::BlockList blocks;
    const registers::Register counter = registers_.make(registers::RegisterClass::scalar);
    const registers::Operation start = make(hw::isa::Opcode::s_mov, counter, registers::Operand::of(counter),
                                            registers::Operand::of(begun_in_kernel / copies));
    if (!write_loop(copies, begun_in_kernel % copies, counter, start, blocks)) return std::nullopt;
    return blocks;
  }

  std::optional<registers::BlockList> write_out(int trips) {
    LoopExpansion expansion(scope_.machine, body_, schedule_, std::min(copies_, trips), registers_);
    BlockWriter writer;
    const int end = (trips - 1) * interval() + schedule_.length();
    if (!expansion.write({0, end, 0, trips, 0}, writer, 0)) return std::nullopt;
    expansion.step_inductions(trips, scope_.region.live_out, writer);
    registers::Block block = writer.block();
    block.settle = settling_cycles(scope_.machine, block.operations, block.rows);
    return registers::BlockList{block};
  }

  /// Writes prologue, kernel and epilogue. `extra` more iterations begin in the prologue than are needed to fill the
  /// pipeline stages. `start` sets the counter; it is absent if the counter already has the number of passes.
  bool write_loop(int copies, int extra, registers::Register counter, const std::optional<registers::Operation>& start,
                  registers::BlockList& blocks) {
    LoopExpansion expansion(scope_.machine, body_, schedule_, copies, registers_);
    const int ahead = stages_ - 1 + extra;
    const int kernel_begin = ahead * interval(), kernel_end = kernel_begin + copies * interval();

    BlockWriter prologue;
    if (!expansion.write({0, kernel_begin, 0, ahead, 0}, prologue, 0)) return false;
    if (start && !place_early(*start, prologue)) blocks.push_back(schedule_in_order(scope_.machine, {*start}));
    if (prologue.rows() > 0) blocks.push_back(prologue.block());

    auto kernel = write_kernel(expansion, {kernel_begin, kernel_end, 0, ahead + copies, 0}, copies, counter);
    if (!kernel) return false;
    kernel->target = int(blocks.size());

    BlockWriter epilogue;
    const int end = (ahead + copies - 1) * interval() + schedule_.length();
    if (!expansion.write({kernel_end, std::max(end, kernel_end), 0, ahead + copies, copies}, epilogue, 0)) return false;
    expansion.step_inductions(ahead, scope_.region.live_out, epilogue);
    registers::Block last = epilogue.block();
    const int kernel_settle = settling_cycles(scope_.machine, kernel->operations, kernel->rows);
    const int last_settle = settling_cycles(scope_.machine, last.operations, last.rows);
    // After the loop, steps of inductions and operations of the kernel must be complete.
    kernel->settle = body_.inductions.empty() ? 0 : int(scope_.machine.scalar.alu_latency.value()) - 1;
    last.settle = std::max(last_settle, kernel_settle - int(last.rows.size()));
    blocks.push_back(*kernel);
    blocks.push_back(last);
    return true;
  }

  static bool place_early(const registers::Operation& operation, BlockWriter& writer) {
    for (int row = 0; row < writer.rows(); ++row) {
      if (writer.place(row, operation)) return true;
    }
    return false;
  }

  /// Writes the kernel. The branch and the steps of inductions are in the last row if they fit, else in rows after it.
  std::optional<registers::Block> write_kernel(LoopExpansion& expansion, const LoopExpansion::Window& window,
                                               int copies, registers::Register counter) {
    const registers::Operation again = branch(hw::isa::Opcode::s_loop, counter);
    const int last = window.to - window.from - 1;
    BlockWriter tight;
    if (tight.place(last, again) && expansion.write(window, tight, 0) &&
        place_steps(expansion, copies, last, last, tight)) {
      return tight.block();
    }
    BlockWriter loose;
    if (!expansion.write(window, loose, 0)) return std::nullopt;
    const int steps = int(body_.inductions.size());
    const int behind = last + 1 + steps / 2;
    loose.place(behind, again);
    place_steps(expansion, copies, last + 1, behind, loose);
    return loose.block();
  }

  /// Puts the steps of all inductions into rows `from` to `to`. Returns false if they do not fit.
  bool place_steps(const LoopExpansion& expansion, int copies, int from, int to, BlockWriter& writer) {
    return std::all_of(body_.inductions.begin(), body_.inductions.end(), [&](const auto& induction) {
      const registers::Operation step = expansion.step(registers::Register::from_number(induction.first), copies);
      for (int row = from; row <= to; ++row) {
        if (writer.place(row, step)) return true;
      }
      return false;
    });
  }

  std::optional<registers::BlockList> run_unknown_trips(registers::Register trips) {
    const auto copies = int(std::bit_ceil(std::uint32_t(kernel_copies(kernel_rows_of_unknown_trips))));
    const registers::Register passes = registers_.make(registers::RegisterClass::scalar);
    registers::BlockList blocks{split_trips(trips, copies, scope_.plain_counter, passes), scope_.plain_loop,
                                skip_without(passes)};
    constexpr int plain_loop = 1, overlapped = 2;
    blocks[0].target = overlapped;
    blocks[plain_loop].target = plain_loop;
    if (!write_loop(copies, 0, passes, std::nullopt, blocks)) return std::nullopt;
    blocks[overlapped].target = int(blocks.size());
    blocks.emplace_back();
    return blocks;
  }

  /// Computes `plain`, the number of iterations that run without overlap, and `passes`, the number of kernel passes.
  /// Skips the plain loop if `plain` is 0.
  registers::Block split_trips(registers::Register trips, int copies, registers::Register plain,
                               registers::Register passes) {
    const registers::Register begun = registers_.make(registers::RegisterClass::scalar);
    const registers::Register few = registers_.make(registers::RegisterClass::predicate),
                              none = registers_.make(registers::RegisterClass::predicate);
    const auto reg = [](registers::Register r) { return registers::Operand::of(r); };
    const auto number = [](std::int32_t n) { return registers::Operand::of(n); };
    const std::vector<registers::Operation> operations = {
        make(hw::isa::Opcode::s_sub, begun, reg(trips), number(stages_ - 1)),
        make(hw::isa::Opcode::s_lt, few, reg(begun), number(copies)),
        make(hw::isa::Opcode::s_and, plain, reg(begun), number(copies - 1)),
        make(hw::isa::Opcode::s_shr, passes, reg(begun), number(std::countr_zero(std::uint32_t(copies)))),
        when(few, make(hw::isa::Opcode::s_mov, plain, reg(trips), reg(trips))),
        when(few, make(hw::isa::Opcode::s_mov, passes, reg(trips), number(0))),
        make(hw::isa::Opcode::s_eq, none, reg(plain), number(0)),
        when(none, branch(hw::isa::Opcode::s_branch, plain)),
    };
    return schedule_in_order(scope_.machine, operations);
  }

  registers::Block skip_without(registers::Register passes) {
    const registers::Register none = registers_.make(registers::RegisterClass::predicate);
    return schedule_in_order(
        scope_.machine, {make(hw::isa::Opcode::s_eq, none, registers::Operand::of(passes), registers::Operand::of(0)),
                         when(none, branch(hw::isa::Opcode::s_branch, passes))});
  }

  const LoopScope& scope_;
  const LoopBody& body_;
  const ModuloSchedule& schedule_;
  RegisterSource& registers_;
  int stages_;
  int copies_ = 1;  ///< least number of copies that the lifetimes of values need
};

}  // namespace

std::optional<registers::BlockList> overlap_iterations(const LoopScope& scope, RegisterSource& registers) {
  const LoopBody body = prepare_loop_body(scope.region, registers);
  if (body.operations.empty()) return std::nullopt;
  const DependenceGraph graph =
      find_dependences({scope.machine, body.operations, scope.region.fifos, true, &body.renamed,
                        &scope.region.loop->independent_buffers, &body.inductions});
  const std::vector<registers::Operation> packed = with_long_literals(body);
  const int longest = int(scope.plain_loop.rows.size() + std::size_t(scope.machine.scalar.branch_penalty.value()));
  const auto schedule =
      schedule_modulo({scope.machine, packed, graph, body.renamed, left_for_iterations(scope, body), longest});
  if (!schedule) return std::nullopt;
  return OverlappedLoop(scope, body, *schedule, registers).run();
}

}  // namespace podsim::sw::codegen::schedule
