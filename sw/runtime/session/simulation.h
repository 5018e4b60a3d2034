// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/core/core.h"
#include "sw/compiler/program.h"
#include "sw/runtime/chip_parts.h"
#include "sw/runtime/observation.h"
#include "sw/runtime/program_feed.h"
#include "sw/runtime/reductions.h"
#include "sw/runtime/run_result.h"
#include "sw/runtime/session/loaded_program.h"
#include "sw/runtime/session/simulated_slice.h"
#include "sw/runtime/simulated_core.h"
#include "sw/runtime/simulation_options.h"
#include "sw/runtime/waits/running_collectives.h"
#include "sw/runtime/waits/waits.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::session {

/// Runs some steps of a program on the modules of an idle slice, and collects the results. It lives in the slice's
/// context, from the simulated time at which the steps begin; session.h makes it.
///
/// A chip at tile detail executes every op by the modules of its units. At replay detail a distinct op is simulated
/// once, by the recurrence that gives exactly the tile level's cycles, and every core of the chip replays its duration.
/// At detail chip, transfers of collectives, asynchronous items, infeeds and outfeeds pass the granules, switch and
/// banks of the first chip in every step, and so do ops concurrent with asynchronous items and the chosen ops of the
/// last step. The other ops of that chip replay what streams take.
///
/// What need not be simulated, and with what error, is said in reductions.h. Asynchronous collectives and ops share the
/// HBM of a core with the op that it executes (hw/timing/contended_op.h), unless the options turn contention off.
class Simulation : private RunningProgram {
 public:
  struct Steps {
    int number;
    std::string name;  ///< in the timeline
  };

  /// The arguments outlive the simulation; `slice` is that of the program's folding.
  Simulation(LoadedProgram& loaded, SimulatedSlice& slice, const TargetMachine& machine,
             const SimulationOptions& options, const Steps& steps);
  ~Simulation() override { slice_.run(nullptr); }

  /// Simulates until the last core has ended, and what it started. Throws base::SimulationError with a verdict if the
  /// program cannot proceed.
  RunResult run();

 private:
  std::optional<hw::Command> next_command(hw::core::Core& core) override;
  void completed(hw::core::Core& core, const hw::CommandRecord& record) override;
  void start_external(hw::core::Core& core, const hw::External& command) override;
  void failed(hw::core::Core& core, const std::string& verdict) override;
  void background_over(std::size_t core, std::uint64_t execution) override { waits_.over(core, execution); }

  void make_cores();
  std::optional<hw::Delay> delay_of(SimulatedCore& at) const;
  std::optional<hw::Command> command_for(SimulatedCore& at, hw::core::Core& core);
  void report_progress(const ProgramCursor& at) const;
  void check_that_all_finished() const;
  RunResult result();
  std::vector<std::string> notes(int steps) const;
  const noc::FoldedTopology& topology() const { return slice_.topology(); }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  SimulatedCore& state(hw::core::CoreId id) {
    return cores_[std::size_t(id.chip) * std::size_t(machine_.cores_per_chip) + std::size_t(id.core)];
  }

  LoadedProgram& loaded_;
  const compiler::Program& program_;
  SimulatedSlice& slice_;
  const TargetMachine& machine_;
  const SimulationOptions& options_;
  int steps_;
  std::int64_t messages_before_, hops_before_;
  Reductions reductions_;
  std::optional<ChipParts> parts_;  ///< only at detail chip
  waits::Waits waits_;
  waits::RunningCollectives collectives_;
  ProgramFeed feed_;
  Observation observation_;
  std::vector<SimulatedCore> cores_;  ///< chip by chip
  std::size_t finished_ = 0;          ///< cores that request no more commands
  std::string verdict_;               ///< of the first core that could not proceed
};

}  // namespace podsim::sw::runtime::session
