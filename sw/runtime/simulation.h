// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "hw/core/core.h"
#include "hw/input/host_inputs.h"
#include "hw/machine.h"
#include "hw/pod/pod.h"
#include "sw/compiler/program.h"
#include "sw/runtime/chip_parts.h"
#include "sw/runtime/known_stretches.h"
#include "sw/runtime/loop_watch.h"
#include "sw/runtime/observation.h"
#include "sw/runtime/op_records.h"
#include "sw/runtime/pod/collective_schedules.h"
#include "sw/runtime/pod/fold.h"
#include "sw/runtime/program_cursor.h"
#include "sw/runtime/program_feed.h"
#include "sw/runtime/repeated_segments.h"
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
/// At detail chip, the chosen ops of the last step run on the first chip through its granules, switch and banks. The
/// other ops of that chip, and those of earlier steps, replay what streams take.
/// Unless all chips are at tile detail, chips fold along those wrapped dimensions under whose translations no
/// collective and no set of cores that takes a branch changes. This is exact because the program is SPMD, all cores
/// start at time zero and every op takes the same time on every core.
///
/// Collective-permutes that send in different directions from different chips would prevent folding. If they take less
/// than 1 % of the collectives' modelled time together and are not asynchronous, they take the time that
/// sw/collectives/schedule/collective_estimate.h computes and do not prevent it. With folding, repeated trips of a loop
/// of more than four trips (loop_watch.h) are skipped unless it has infeeds or outfeeds, and so are those of segments
/// that the program repeats, such as layers (repeated_segments.h), and in long runs stretches of items that all cores
/// have executed before (known_stretches.h). Asynchronous collectives and ops share the HBM of a core with the op that
/// it executes (hw/timing/contended_op.h), unless the options turn contention off.
class Simulation : private hw::core::CoreRuntime {
 public:
  /// `program`, `machine` and the objects that `options` points to outlive the simulation.
  Simulation(const compiler::Program& program, const hw::Machine& machine, const noc::Topology& slice,
             SimulationOptions options);
  ~Simulation() override;

  /// Throws base::SimulationError with a verdict if the program cannot proceed.
  RunResult run();
  /// Current simulated time.
  base::Time now() const;

 private:
  /// A loop, or else a segment of segments_.
  struct Repetition {
    int loop = -1, segment = -1;
    auto operator<=>(const Repetition&) const = default;
  };
  /// A trip of it that a core begins.
  struct Trip {
    Repetition of;
    std::int64_t entry = 0;  ///< number of times that it was entered before
    std::int64_t number = 0, trips = 0;
  };
  struct Skipped {
    Repetition of;
    std::int64_t trips = 0;
  };
  struct CoreState : SimulatedCore {
    using SimulatedCore::SimulatedCore;
    Skipped skipped;                                   ///< what it skips now
    const KnownStretches::Stretch* stretch = nullptr;  ///< or this
    std::vector<ItemResult> by_place;  ///< of an observed core: the last execution of each place of a known stretch
    std::map<Repetition, std::size_t> trip_items;  ///< number of items ended in the step when the last trip began
  };

  std::optional<hw::Command> next_command(hw::core::Core& core) override;
  void completed(hw::core::Core& core, const hw::CommandRecord& record) override;
  void start_external(hw::core::Core& core, const hw::External& command) override;
  void failed(hw::core::Core& core, const std::string& verdict) override;

  void advance();
  pod::Fold fold(const noc::Topology& slice) const;
  void make_inputs();
  void make_pod();
  void make_states();
  bool may_skip_segments() const;
  void find_segments();
  void find_known_stretches();
  LoopWatch& watch_of(const Trip& trip);
  std::optional<Trip> trip_begun(const CoreState& at) const;
  std::optional<hw::Command> skip_trips(hw::core::Core& core, CoreState& at);
  void observe_skipped(CoreState& at, hw::core::Core& core, const hw::CommandRecord& record);
  bool may_skip(const compiler::Loop& loop) const;
  void collect();
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  CoreState& state(hw::core::CoreId id) {
    return states_[std::size_t(id.chip) * std::size_t(machine_.cores_per_chip) + std::size_t(id.core)];
  }
  void check_that_ops_fit() const;
  void check_that_all_finished() const;
  void note_skipped_loops();
  void note_skipped_segments();
  std::optional<hw::Command> skip_stretch(CoreState& at);
  void begins_item(hw::core::Core& core, const CoreState& at);
  void stretch_over(CoreState& at, hw::core::Core& core, const hw::CommandRecord& record);
  void add_stretch(CoreState& at, const hw::core::Core& core, const hw::CommandRecord& record);
  std::int64_t position(const CoreState& at) const;

  const compiler::Program& program_;
  const hw::Machine& machine_;
  SimulationOptions options_;
  std::optional<ChipParts> parts_;                 ///< only at detail chip
  std::unique_ptr<hw::input::HostInputs> inputs_;  ///< only with options_.input
  std::vector<bool> real_;                         ///< by chip: whether it is made of its units
  std::unique_ptr<hw::pod::Pod> pod_;
  std::optional<waits::Waits> waits_;
  std::unique_ptr<waits::RunningCollectives> collectives_;
  std::unique_ptr<waits::BackgroundOps> background_;
  std::optional<ProgramFeed> feed_;
  std::optional<Observation> observation_;
  std::vector<CoreState> states_;
  OpRecords records_;
  pod::CollectiveSchedules schedules_;
  pod::Fold fold_;
  std::vector<RepeatedSegment> segments_;  ///< that may be skipped
  std::vector<int> segment_begun_;         ///< by item: the segment that has a trip beginning there; -1: none
  std::map<std::pair<Repetition, std::int64_t>, LoopWatch> watches_;  ///< also by number of times it was entered
  std::map<int, LoopWatch::SteadyStates> steady_states_;              ///< by RepeatedSegment::content
  std::unique_ptr<KnownStretches> known_;                             ///< only in long runs
  std::vector<std::vector<base::Bytes>> place_bytes_;                 ///< on each link, by place of a known stretch
  std::vector<base::Bytes> bytes_before_;                      ///< when the first core began the item that it executes
  std::int64_t stretch_items_ = 0, last_stretch_items_ = 0;    ///< skipped in the current step, in the last one
  std::map<Repetition, std::int64_t> skipped_trips_;           ///< when it was last entered
  std::map<Repetition, std::vector<base::Bytes>> trip_bytes_;  ///< on each link when its last trip began
  RunResult result_;
  std::string verdict_;  ///< of the first core that could not proceed
};

}  // namespace podsim::sw::runtime
