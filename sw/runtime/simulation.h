// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/core/core.h"
#include "hw/input/host_inputs.h"
#include "hw/machine.h"
#include "hw/pod/pod.h"
#include "noc/topology.h"
#include "sw/compiler/program.h"
#include "sw/runtime/chip_parts.h"
#include "sw/runtime/observation.h"
#include "sw/runtime/op_records.h"
#include "sw/runtime/pod/collective_schedules.h"
#include "sw/runtime/program_feed.h"
#include "sw/runtime/reductions.h"
#include "sw/runtime/run_result.h"
#include "sw/runtime/simulated_core.h"
#include "sw/runtime/simulation_options.h"
#include "sw/runtime/waits/background_ops.h"
#include "sw/runtime/waits/running_collectives.h"
#include "sw/runtime/waits/waits.h"

namespace podsim::sw::runtime {

/// Connects machine, slice and program, runs steps on SystemC, and collects the results. A process can have only one,
/// since SystemC supports one simulation per process.
///
/// A chip at tile detail executes every op by the modules of its units. At replay detail a distinct op is simulated
/// once, by the recurrence that gives exactly the tile level's cycles, and every core of the chip replays its duration.
/// At detail chip, transfers of collectives, asynchronous items, infeeds and outfeeds pass the granules, switch and
/// banks of the first chip in every step, and so do ops beside asynchronous items and the chosen ops of the last step.
/// The other ops of that chip replay what streams take.
///
/// What need not be simulated, and with what error, is said in reductions.h. Asynchronous collectives and ops share the
/// HBM of a core with the op that it executes (hw/timing/contended_op.h), unless the options turn contention off.
class Simulation : private hw::core::CoreRuntime {
 public:
  /// `program`, `machine` and the objects that `options` points to outlive the simulation.
  Simulation(const compiler::Program& program, const hw::Machine& machine, const noc::Topology& slice,
             SimulationOptions options);

  /// Throws base::SimulationError with a verdict if the program cannot proceed.
  RunResult run();
  /// Current simulated time.
  base::Time now() const;

 private:
  std::optional<hw::Command> next_command(hw::core::Core& core) override;
  void completed(hw::core::Core& core, const hw::CommandRecord& record) override;
  void start_external(hw::core::Core& core, const hw::External& command) override;
  void failed(hw::core::Core& core, const std::string& verdict) override;

  std::unique_ptr<hw::input::HostInputs> make_inputs() const;
  std::unique_ptr<hw::pod::Pod> make_pod();
  void make_cores();
  void report_progress(const ProgramCursor& at) const;
  void check_that_all_finished() const;
  RunResult result();
  std::vector<std::string> notes(int steps) const;
  const noc::FoldedTopology& topology() const { return reductions_.fold().topology; }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  SimulatedCore& state(hw::core::CoreId id) {
    return cores_[std::size_t(id.chip) * std::size_t(machine_.cores_per_chip) + std::size_t(id.core)];
  }

  const compiler::Program& program_;
  const hw::Machine& machine_;
  SimulationOptions options_;
  OpRecords records_;
  pod::CollectiveSchedules schedules_;
  Reductions reductions_;
  std::optional<ChipParts> parts_;                 ///< only at detail chip
  std::unique_ptr<hw::input::HostInputs> inputs_;  ///< only with options_.input
  std::vector<bool> real_;                         ///< by chip: whether it is made of its units
  std::unique_ptr<hw::pod::Pod> pod_;
  waits::Waits waits_;
  waits::RunningCollectives collectives_;
  waits::BackgroundOps background_;
  ProgramFeed feed_;
  Observation observation_;
  std::vector<SimulatedCore> cores_;  ///< chip by chip
  std::string verdict_;               ///< of the first core that could not proceed
};

}  // namespace podsim::sw::runtime
