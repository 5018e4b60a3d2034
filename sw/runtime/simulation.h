// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/probe.h"
#include "base/timeline.h"
#include "hw/core.h"
#include "hw/machine.h"
#include "noc/folded_topology.h"
#include "sw/collectives/algorithm.h"
#include "sw/compiler/op_costs.h"
#include "sw/compiler/program.h"
#include "sw/runtime/detail.h"
#include "sw/runtime/loop_watch.h"
#include "sw/runtime/program_cursor.h"
#include "sw/runtime/run_result.h"
#include "sw/runtime/step_observer.h"

namespace podsim::hw {
class Chip;
}
namespace podsim::noc {
class MessageFabric;
}

namespace podsim::sw {

class CollectiveEngine;
class CollectiveRun;
class CollectiveSchedule;

struct SimulationOptions {
  Detail detail = Detail::replay;
  int steps = 2;
  OpCache* op_cache = nullptr;  ///< where the costs of ops that are replayed may be known
  bool fold = true;  ///< let a chip stand for its translates along wrapped dimensions, a trip for those that repeat it
  /// Of the collectives that it can do; not given, and of the others, the one that is modelled fastest.
  std::optional<Algorithm> algorithm;
  base::ProbeSink* sink = nullptr;
  base::Timeline* timeline = nullptr;  ///< of chip (0,0,...) core 0
  std::function<void(double)> progress;
  const std::atomic<bool>* stop = nullptr;  ///< set from outside: finish the command at hand, report what is there
};

/// Wires machine, slice and program, runs steps on SystemC, collects what happened. One per process: SystemC knows one
/// simulation.
///
/// At replay detail a distinct op is simulated once, by the recurrence that gives the tile level's cycles exactly, and
/// every core replays its duration. Chips fold along the wrapped dimensions under whose translations no collective
/// and no set of cores that takes a branch changes, because the program is SPMD, all cores start at time zero and every
/// op takes every core equally long; at tile detail nothing is folded or replayed. Collective-permutes that go other
/// ways from other chips, and take less than 1 % of the collectives' modelled time together, do not hinder that: they
/// take what collective_estimate.h says. At replay detail trips of a loop
/// that repeat themselves (loop_watch.h) are skipped, unless the loop waits for the host. An asynchronous op takes
/// nothing from what runs beside it.
class Simulation : private hw::CoreRuntime {
 public:
  /// `program`, `machine` and what `options` points to outlive the simulation.
  Simulation(const Program& program, const hw::Machine& machine, const noc::Topology& slice, SimulationOptions options);
  ~Simulation() override;

  /// Throws base::SimulationError with a verdict when the program cannot proceed.
  RunResult run();
  /// Simulated time so far.
  base::Time now() const;

 private:
  struct CoreState {
    CoreState(const Program& program, std::int32_t core) : cursor(program, core) {}
    ProgramCursor cursor;
    int observer = -1;  ///< into observers_
    bool finished = false;
    std::int64_t skipping = 0;              ///< trips, of the loop that begins here
    std::map<int, std::size_t> trip_items;  ///< by loop: items that had ended in the step when the last trip began
    std::optional<std::uint64_t> waiting;   ///< for the collective of this token
    std::set<std::uint64_t> over;           ///< collectives that nobody has waited for yet
    base::Cycles background_free_at;        ///< asynchronous ops go on one after the other
    std::map<std::uint64_t, base::Cycles> background_end;  ///< of each that nobody has waited for yet, by token
  };

  std::optional<hw::Command> next_command(hw::Core& core) override;
  void completed(hw::Core& core, const hw::CommandRecord& record) override;
  void start_external(hw::Core& core, const hw::External& command) override;
  void failed(hw::Core& core, const std::string& verdict) override;

  void advance();
  std::unique_ptr<hw::Chip> make_chip(noc::NodeId node, std::string scope);
  void note_other_algorithm(CollectiveKind kind);
  noc::FoldedTopology fold(const noc::Topology& slice);
  bool branches_vary_along(const noc::Topology& slice, int dimension) const;
  void take_small_permutes_by_formula();
  void make_states();
  std::optional<hw::Command> skip_trips(hw::Core& core, CoreState& at);
  void observe_skipped(CoreState& at, hw::Core& core, base::Time end);
  bool may_skip(const Loop& loop) const;
  hw::Command command_for(hw::Core& core, CoreState& at);
  hw::Command command_for_op(hw::Core& core, CoreState& at, const ProgramItem& item);
  hw::Command command_for_collective(hw::Core& core, CoreState& at, const ProgramItem& item);
  const hw::OpResult& recorded(int op);
  CollectiveRun& collective(std::uint64_t token, int index);
  void collective_over(noc::NodeId chip, int core, std::uint64_t token);
  void observe(const CoreState& at, const hw::CommandRecord& record, hw::Core& core);
  void step_ended(const hw::Core& core, base::Time end);
  std::vector<base::Bytes> bytes_of_all_links() const;
  std::vector<base::Bytes> carried() const;
  const StepObserver& critical_core() const;
  void collect();
  void add_stage_results();
  base::Time transfer_time(const ItemResult& item, std::int32_t core) const;
  base::Time last_to_come(const CollectiveRun& run, const CollectiveOp& op, std::int32_t core) const;
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  CoreState& state(hw::CoreId id) {
    return states_[std::size_t(id.chip) * std::size_t(machine_.cores_per_chip) + std::size_t(id.core)];
  }
  void check_that_ops_fit() const;
  void check_that_all_finished() const;
  base::Time time_since_last_start(const CollectiveRun& run) const;
  void add_collective_result(const ItemResult& item, std::map<int, std::size_t>& known);
  void add_loop_results();

  const Program& program_;
  const hw::Machine& machine_;
  SimulationOptions options_;
  std::unique_ptr<noc::MessageFabric> fabric_;
  std::vector<std::unique_ptr<hw::Chip>> chips_;
  std::unique_ptr<CollectiveEngine> engine_;
  std::vector<CoreState> states_;
  OpCosts costs_;
  std::vector<std::optional<hw::OpResult>> recorded_;
  std::vector<std::shared_ptr<const CollectiveSchedule>> schedules_;  ///< of the program's collectives
  std::map<int, base::Cycles> by_formula_;               ///< by collective: what those take that are not simulated
  std::map<std::uint64_t, CollectiveRun*> collectives_;  ///< by token
  std::map<std::pair<int, std::int64_t>, LoopWatch> watches_;  ///< by loop and how often it was entered
  std::map<int, std::int64_t> skipped_trips_;                  ///< by loop, when it was last entered
  std::vector<base::Bytes> step_bytes_;                        ///< carried by each link in the last step
  std::vector<base::Bytes> link_bytes_;                        ///< carried by each link when the step began
  base::Time step_began_;                                      ///< of the first core
  std::vector<base::Bytes> skipped_bytes_;  ///< that each link would have carried in trips that were skipped
  std::map<int, std::vector<base::Bytes>> trip_bytes_;  ///< by loop: carried when its last trip began
  std::vector<StepObserver> observers_;  ///< of the cores of the first chip, then of the first of each other stage
  std::vector<StageResult> stages_;      ///< without times
  std::vector<int> stage_observers_;     ///< of each of them
  RunResult result_;
  std::string verdict_;  ///< of the first core that could not go on
};

}  // namespace podsim::sw
