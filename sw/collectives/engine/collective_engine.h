// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "base/trace/probe.h"
#include "hw/chip/chip.h"
#include "noc/folded_topology.h"
#include "noc/ici/ici_port.h"
#include "noc/ici/links.h"
#include "sw/collectives/engine/look_ahead.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/target_machine.h"

/// The timed executor of collectives inside a simulation: one module for all cores of a slice. It takes HBM, vector
/// units and switch from the chips (hw/chip/chip_transfers.h), and has a queue of timers behind one event. Messages go
/// through the chips' IciPorts to their network, at the simulated time.
///
/// Where no other client sends over the links of a fabric and no signal shows what they do, the engine looks ahead:
/// it drives these links (noc/ici/links.h) and its timers in quanta. A quantum ends before the next event of any other
/// module, since nothing can come between; before a core that has finished may act, since its next command may be an
/// event at any time; and at a chip whose memory follows the events (ChipTransfers::follows_events). All times are the
/// same as through the ports, to the picosecond.
///
/// Like the links it breaks ties without regard to a chip's position. It works one delta cycle after the event that
/// woke it, when all timers of that time have been set, so that their order never depends on that of the SystemC
/// kernel.
///
///   CollectiveEngine engine("collectives", machine, topology, chips, nullptr);
///   CollectiveRun& run = engine.begin(schedule, [](noc::NodeId chip, int core) { ... });   // any time
///   run.start(chip, core);                                                        // as each core reaches it
namespace podsim::sw::collectives::engine {

class CollectiveEngine : public sc_core::sc_module, public LookAhead {
 public:
  /// `chips` are the representative chips of the topology, in order, all with ICI; they outlive the engine. With
  /// `links`, those of their fabric (MessageFabric::look_ahead), it looks ahead. Precondition: there is no sink then.
  CollectiveEngine(sc_core::sc_module_name name, const TargetMachine& machine, const noc::FoldedTopology& topology,
                   const std::vector<hw::chip::Chip*>& chips, noc::ici::Links* links,
                   base::trace::ProbeSink* sink = nullptr);
  ~CollectiveEngine() override;

  /// Begins a collective over the engine's full topology. Cores are started one by one (CollectiveRun::start), and
  /// `on_finish` is called at the time at which a core is done. The run remains for its times; the memory that its
  /// cores needed is freed when the last of them is done. With `data`, which outlives the run, values move with the
  /// messages; the topology may not be folded then.
  CollectiveRun& begin(std::shared_ptr<const schedule::CollectiveSchedule> schedule, OnFinish on_finish,
                       CollectiveData* data = nullptr);

  /// Frees all collectives with their times, if they are finished and nothing of them is due.
  void forget_finished();

  /// Names a message of a collective for the fabric's waveforms: "reduce-scatter y step 2, colour 0, segment 3", with
  /// the step only where the pattern has one (Pattern::step).
  std::string label(const noc::ici::Message& message) const;

  /// The time of what the engine does now, which may be later than the simulated time; else the simulated time.
  base::Time now() const override;
  void at(base::Time when, std::uint32_t rank, const Timer& timer) override;
  void send(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message) override;
  hw::chip::ChipTransfers& chip(noc::NodeId chip) override { return *chips_[std::size_t(chip)][0]; }
  base::trace::Probe<std::string>& phase(noc::NodeId chip, int core) override {
    return phases_[std::size_t(chip * cores_per_chip() + core)];
  }
  void begun(CollectiveRun& run) override;
  void finished(CollectiveRun& run) override { finished_.push_back(&run); }

 private:
  /// Begins a quantum when no process is left to run at the simulated time, in the update phase.
  class QuantumStart : public sc_core::sc_prim_channel {
   public:
    explicit QuantumStart(CollectiveEngine& engine) : sc_prim_channel("quantum_start"), engine_(engine) {}
    void wanted() { request_update(); }

   private:
    void update() override { engine_.run_quantum(); }

    CollectiveEngine& engine_;
  };
  /// A completion that lies in the simulated future.
  struct Finish {
    base::Time when;
    const OnFinish* on_finish;
    noc::NodeId chip;
    int core;
  };

  void work();
  void run_quantum();
  base::Time end_of_quantum() const;
  void wake_up();
  void core_finished(const OnFinish& on_finish, noc::NodeId chip, int core);
  void release(CollectiveRun& run);

  sc_core::sc_vector<sc_core::sc_port<hw::chip::ChipTransfers>> chips_;
  std::vector<noc::ici::IciPort*> ports_;  ///< by chip
  std::vector<base::trace::Probe<std::string>> phases_;
  std::vector<CollectiveRun*> finished_;  ///< runs to release when the timers of this time are done
  std::vector<Finish> ahead_finishes_;    ///< all at one time
  sc_core::sc_event wake_;
  bool settled_ = false;
  bool working_ = false;
  QuantumStart quantum_start_;
};

}  // namespace podsim::sw::collectives::engine
