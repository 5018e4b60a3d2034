// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/probe.h"
#include "base/timeline.h"
#include "hw/core.h"
#include "hw/machine.h"
#include "noc/topology.h"
#include "sw/compiler/program.h"
#include "sw/runtime/detail.h"
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

struct SimulationOptions {
  Detail detail = Detail::replay;
  int steps = 2;
  bool fold = true;  ///< let one chip stand for its translates along wrapped dimensions, where that is exact
  base::ProbeSink* sink = nullptr;
  base::Timeline* timeline = nullptr;  ///< of chip (0,0,...) core 0
  std::function<void(double)> progress;
  const std::atomic<bool>* stop = nullptr;  ///< set from outside: finish the command at hand, report what is there
};

/// Wires machine, slice and program, runs steps on SystemC, collects what happened. One per process: SystemC knows one
/// simulation.
///
/// At replay detail a distinct op is simulated once, by the recurrence that gives the tile level's cycles exactly, and
/// every core replays its duration. Chips fold along wrapped dimensions because the program is SPMD, all cores start at
/// time zero and every op takes every core equally long; at tile detail nothing is folded or replayed.
class Simulation : private hw::CoreRuntime {
 public:
  /// `program` and `machine` outlive the simulation.
  Simulation(const Program& program, const hw::Machine& machine, const noc::Topology& slice, SimulationOptions options);
  ~Simulation() override;

  /// Throws base::SimulationError with a verdict when the program cannot proceed.
  RunResult run();
  /// Simulated time so far.
  base::Time now() const;

 private:
  struct CoreState {
    int step = 0;
    std::size_t item = 0;
    bool finished = false;
  };

  std::optional<hw::Command> next_command(hw::Core& core) override;
  void completed(hw::Core& core, const hw::CommandRecord& record) override;
  void start_external(hw::Core& core, const hw::External& command) override;
  void failed(hw::Core& core, const std::string& verdict) override;

  void advance();
  std::unique_ptr<hw::Chip> make_chip(noc::NodeId node, std::string scope);
  hw::Command command_for(const ProgramItem& item, int step, std::size_t index);
  const hw::OpResult& recorded(int op);
  CollectiveRun& collective(int step, std::size_t item);
  void observe(const ProgramItem& item, std::size_t index, const hw::CommandRecord& record, hw::Core& core);
  void measure_links(base::Time step);
  void collect();
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  CoreState& state(hw::CoreId id) {
    return states_[std::size_t(id.chip) * std::size_t(machine_.cores_per_chip) + std::size_t(id.core)];
  }
  void check_that_ops_fit() const;
  void check_that_all_finished() const;
  base::Time time_since_last_start(const CollectiveRun& run) const;
  void add_collective_result(const ItemResult& item);

  const Program& program_;
  const hw::Machine& machine_;
  SimulationOptions options_;
  std::unique_ptr<noc::MessageFabric> fabric_;
  std::vector<std::unique_ptr<hw::Chip>> chips_;
  std::unique_ptr<CollectiveEngine> engine_;
  std::vector<CoreState> states_;
  std::vector<std::optional<hw::OpResult>> recorded_;
  std::map<std::pair<int, std::size_t>, CollectiveRun*> collectives_;
  std::vector<base::Bytes> link_bytes_;  ///< carried by each link when the step began
  std::vector<StepObserver> observers_;  ///< one per core of the first chip
  RunResult result_;
  std::string verdict_;  ///< of the first core that could not go on
};

}  // namespace podsim::sw
