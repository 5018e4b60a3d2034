// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/bank_simulation.h"

#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/systemc/fresh_context.h"
#include "base/systemc/own_stack.h"
#include "hw/chip/tile_chip.h"

namespace podsim::hw::chip {

namespace {

/// Runs an op repeatedly until its runs add up to `enough` refresh periods, or `most` times. Each run starts at another
/// phase of the memory's refresh, after a pause in which every bank has been refreshed.
class RepeatedOp : public core::CoreRuntime {
 public:
  RepeatedOp(const Machine& machine, const TileOp& op)
      : op_(op), period_(machine.core_clock().cycles_covering(machine.dram.timing.refi / machine.dram.clock)) {}

  const std::vector<OpResult>& results() const { return results_; }
  const std::string& verdict() const { return verdict_; }

  std::optional<Command> next_command(core::Core& core) override {
    if (std::exchange(paused_, !paused_)) return RunOp{&op_};
    const auto runs = std::int64_t(results_.size());
    if (runs == 0) return Delay{base::Cycles(0)};
    if (runs == most || ran_ >= enough * period_) return std::nullopt;
    const base::Cycles start = 2 * period_ + period_ * (runs * stride % most) / most;
    return Delay{start - core.now() % period_};
  }
  void completed(core::Core&, const CommandRecord& record) override {
    if (!std::holds_alternative<RunOp>(record.command)) return;
    results_.push_back(record.op);
    ran_ += record.op.cycles;
  }
  void start_external(core::Core&, const External&) override {}
  void failed(core::Core&, const std::string& verdict) override { verdict_ = verdict; }

 private:
  static constexpr std::int64_t enough = 8;  ///< refresh periods, after which their phase has little influence
  static constexpr std::int64_t most = 64;
  static constexpr std::int64_t stride = 39;  ///< spreads the phases evenly for any number of runs

  const TileOp& op_;
  base::Cycles period_;
  bool paused_ = false;
  base::Cycles ran_;
  std::vector<OpResult> results_;
  std::string verdict_;
};

/// Averages every part; the total is the sum of its parts.
OpResult mean(const std::vector<OpResult>& results) {
  const auto average = [&](base::Cycles OpResult::*part) {
    base::Cycles sum;
    for (const OpResult& result : results) sum += result.*part;
    const auto runs = std::int64_t(results.size());
    return (sum + base::Cycles(runs / 2)) / runs;
  };
  OpResult mean = results.front();  // work and traffic are the same in every run
  mean.cycles = base::Cycles(0);
  for (auto part : {&OpResult::start_up, &OpResult::compute, &OpResult::control, &OpResult::read_wait,
                    &OpResult::write_wait, &OpResult::drain}) {
    mean.*part = average(part);
    mean.cycles += mean.*part;
  }
  mean.hbm_busy = average(&OpResult::hbm_busy);
  return mean;
}

}  // namespace

OpResult simulate_op_on_banks(const Machine& machine, const TileOp& op) {
  const base::systemc::FreshContext context;
  Machine alone = machine;
  alone.cores_per_chip = 1;
  RepeatedOp runtime(machine, op);
  const TileChip chip("chip", alone, 0, runtime, {}, memory::MemoryDetail::bank);
  sc_core::sc_start();
  base::systemc::back_on_own_stack();
  if (!runtime.verdict().empty()) throw base::SimulationError(runtime.verdict());
  return mean(runtime.results());
}

}  // namespace podsim::hw::chip
