// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/session/simulated_slice.h"

#include <systemc>

#include "base/systemc/own_stack.h"
#include "base/systemc/systemc_time.h"
#include "sw/runtime/pod/simulated_pod.h"

namespace podsim::sw::runtime::session {
namespace {

/// Whether collectives alone send over the links, unseen. At detail chip the memory of a chip sends over them too.
bool collectives_are_alone(const SimulationOptions& options) {
  return options.sink == nullptr && options.detail != Detail::chip;
}

}  // namespace

SimulatedSlice::SimulatedSlice(const noc::FoldedTopology& topology, const TargetMachine& machine,
                               const SimulationOptions& options)
    : topology_(topology), real_(real_chips(options.detail, options.real, topology)) {
  for (std::size_t chip = 0; chip < real_.size(); ++chip) {
    real_[chip] = real_[chip] && options.faults.chip_speed(topology.full_node_of(noc::NodeId(chip))).healthy();
  }
  const base::systemc::InContext inside(context_);
  if (options.input) inputs_ = std::make_unique<hw::input::HostInputs>("inputs", *options.input, options.sink);
  const bool banks = options.detail == Detail::chip;
  const auto memory = banks ? hw::memory::MemoryDetail::bank : hw::memory::MemoryDetail::stream;
  pod_ =
      pod::make_pod(topology_, machine, *this,
                    {real_, memory, options.contention, inputs_.get(), options.faults, options.sink, options.timeline});
  noc::ici::MessageFabric& fabric = pod_->network();
  engine_ = std::make_unique<collectives::engine::CollectiveEngine>(
      "collectives", machine, topology_, pod_->chips(), collectives_are_alone(options) ? &fabric.look_ahead() : nullptr,
      options.sink);
  fabric.set_labeller([this](const noc::ici::Message& message) { return engine_->label(message); });
  background_ = std::make_unique<waits::BackgroundOps>(
      "background", machine, pod_->chips(),
      [this](std::size_t core, std::uint64_t execution) { program_->background_over(core, execution); });
  alarms_ = std::make_unique<parts::Alarms>("alarms");
}

SimulatedSlice::~SimulatedSlice() {
  const base::systemc::InContext inside(context_);
  alarms_.reset();
  background_.reset();
  engine_.reset();
  pod_.reset();
  inputs_.reset();
}

void SimulatedSlice::idle_until(base::Time time) {
  const base::Time left = time - base::systemc::now();
  if (left == base::Time(0)) return;
  sc_core::sc_start(base::systemc::to_sc_time(left), sc_core::SC_RUN_TO_TIME);
  base::systemc::back_on_own_stack();
}

void SimulatedSlice::run(RunningProgram* program) {
  program_ = program;
  // Cores ask by themselves when the simulation begins.
  const bool begins = sc_core::sc_get_status() == sc_core::SC_ELABORATION;
  if (program_ == nullptr || begins) return;
  engine_->forget_finished();
  for (hw::chip::Chip* chip : pod_->chips()) {
    for (int core = 0; core < chip->cores(); ++core) chip->core(core).resume();
  }
}

std::optional<hw::Command> SimulatedSlice::next_command(hw::core::Core& core) {
  if (program_ == nullptr) return std::nullopt;
  return program_->next_command(core);
}

}  // namespace podsim::sw::runtime::session
