// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/systemc/context.h"
#include "hw/core/core.h"
#include "hw/input/host_inputs.h"
#include "hw/pod/pod.h"
#include "noc/folded_topology.h"
#include "sw/collectives/engine/collective_engine.h"
#include "sw/runtime/parts/alarms.h"
#include "sw/runtime/simulation_options.h"
#include "sw/runtime/waits/background_ops.h"
#include "sw/target_machine.h"

namespace podsim::sw::runtime::session {

/// A program while it runs on a slice.
class RunningProgram : public hw::core::CoreRuntime {
 public:
  /// An asynchronous op has ended. Cores are numbered chip by chip.
  virtual void background_over(std::size_t core, std::uint64_t execution) = 0;
};

/// The modules of a slice, in a SystemC context of their own: pod, hosts, engine of the collectives, asynchronous ops.
/// They stay while one program after another runs on them; without a program the cores stand still.
class SimulatedSlice : private hw::core::CoreRuntime {
 public:
  /// Makes the representatives of the topology. `machine` and what `options` point to outlive this.
  SimulatedSlice(const noc::FoldedTopology& topology, const TargetMachine& machine, const SimulationOptions& options);
  ~SimulatedSlice() override;

  base::systemc::Context& context() { return context_; }
  const noc::FoldedTopology& topology() const { return topology_; }
  /// By simulated chip: whether it is made of its units.
  const std::vector<bool>& real() const { return real_; }

  // All else is done in the context.
  hw::pod::Pod& pod() { return *pod_; }
  collectives::engine::CollectiveEngine& engine() { return *engine_; }
  waits::BackgroundOps& background() { return *background_; }
  parts::Alarms& alarms() { return *alarms_; }
  /// Simulates until `time`, which is not in the past. The cores stand still, hosts may still be busy.
  void idle_until(base::Time time);
  /// Has all cores ask `program` for commands from now on, until the next call; with nullptr they stand still.
  void run(RunningProgram* program);

 private:
  std::optional<hw::Command> next_command(hw::core::Core& core) override;
  void completed(hw::core::Core& core, const hw::CommandRecord& record) override { program_->completed(core, record); }
  void start_external(hw::core::Core& core, const hw::External& command) override {
    program_->start_external(core, command);
  }
  void failed(hw::core::Core& core, const std::string& verdict) override { program_->failed(core, verdict); }

  base::systemc::Context context_;
  noc::FoldedTopology topology_;
  std::vector<bool> real_;
  std::unique_ptr<hw::input::HostInputs> inputs_;  ///< only with SimulationOptions::input
  std::unique_ptr<hw::pod::Pod> pod_;
  std::unique_ptr<collectives::engine::CollectiveEngine> engine_;
  std::unique_ptr<waits::BackgroundOps> background_;
  std::unique_ptr<parts::Alarms> alarms_;
  RunningProgram* program_ = nullptr;
};

}  // namespace podsim::sw::runtime::session
