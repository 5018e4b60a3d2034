// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "base/systemc/timed_queue.h"
#include "base/trace/probe.h"
#include "hw/machine.h"
#include "hw/timing/vector_timing.h"
#include "noc/chip_switch/switch_timing.h"
#include "noc/faults.h"
#include "noc/folded_topology.h"
#include "noc/ici/ici_port.h"
#include "sw/collectives/collective_schedule.h"
#include "sw/collectives/hbm_occupancy.h"

/// The timed executor of collectives inside a simulation: one module for all cores of a slice. It owns what collectives
/// take from a chip (HBM, vector unit, switch ports) and a heap of timers behind one event; messages go through the
/// chips' IciPorts.
///
/// Like the fabric it breaks ties without regard to a chip's position. It works one delta cycle after the event that
/// woke it, when everything due at that time has been handed in, so that the order never depends on the kernel's.
///
///   CollectiveEngine engine("collectives", machine, topology, ports);
///   CollectiveRun& run = engine.begin(schedule, [](noc::NodeId chip, int core) { ... });   // any time
///   run.start(chip, core);                                                        // as each core reaches it
namespace podsim::sw::collectives {

class CollectiveData;
class CollectiveRun;
class CoreRun;

/// What one core brings to a collective.
struct CoreResources {
  CoreResources(const hw::Machine& machine, double of_healthy) : hbm(machine.hbm, of_healthy), speed(of_healthy) {}
  HbmOccupancy hbm;
  double speed;  ///< fraction of the healthy rate of all the core does
  base::Time vector_free_at;
  base::trace::Probe<std::string> phase;  ///< chip(x,y).core0.collective: "reduce-scatter y step 2"
};

class CollectiveEngine : public sc_core::sc_module {
 public:
  using OnFinish = std::function<void(noc::NodeId chip, int core)>;
  struct Timer {
    CoreRun* core;
    int kind;
    int queue;
    std::uint64_t tag;
  };

  /// `ports` has the port of every representative chip of the topology, in order; they outlive the engine.
  CollectiveEngine(sc_core::sc_module_name name, const hw::Machine& machine, const noc::FoldedTopology& topology,
                   std::vector<noc::ici::IciPort*> ports, base::trace::ProbeSink* sink = nullptr,
                   const noc::Faults& faults = {});
  ~CollectiveEngine() override;

  /// A collective over the engine's full topology. Each core is started by itself;
  /// `on_finish` is called at the time a core is done. The run stays to be asked for its times; what its cores needed
  /// is given back when the last of them is done.
  /// With `data`, which outlive the run, their numbers move with the messages; nothing may be folded then.
  CollectiveRun& begin(std::shared_ptr<const CollectiveSchedule> schedule, OnFinish on_finish,
                       CollectiveData* data = nullptr);

  /// Names a message of a collective for the fabric's waveforms: "reduce-scatter y step 2, colour 0, segment 3", the
  /// step around a ring only.
  std::string label(const noc::ici::Message& message) const;

  // For CollectiveRun and CoreRun.
  void finished(CollectiveRun& run) { finished_.push_back(&run); }
  void at(base::Time when, std::uint32_t rank, const Timer& timer);
  CoreResources& resources(noc::NodeId chip, int core) { return cores_[std::size_t(chip) * cores_per_chip_ + core]; }
  noc::chip_switch::SwitchTiming& chip_switch(noc::NodeId chip) { return switches_[chip]; }
  noc::ici::IciPort& port(noc::NodeId chip) { return *ports_[chip]; }
  const hw::Machine& machine() const { return machine_; }
  const noc::FoldedTopology& topology() const { return topology_; }
  /// Time of the vector unit to add `operands` arrays of `elements` each into one.
  base::Time addition(std::int64_t elements, ir::ElementType type, std::int64_t operands) const;
  /// Latency of a DMA between the halves of a chip's HBM beyond occupancy.
  base::Time dma_latency() const { return dma_latency_; }
  /// From the last byte of a remote DMA to its flag seen by the core.
  base::Time flag_latency() const { return flag_latency_; }
  /// From a core's arrival at a collective to its first action: what the software does before.
  base::Time launch() const { return launch_; }

 private:
  void work();

  hw::Machine machine_;
  noc::FoldedTopology topology_;
  std::vector<noc::ici::IciPort*> ports_;
  int cores_per_chip_;
  hw::timing::VectorTiming vector_;
  base::Clock clock_;
  base::Time dma_latency_, flag_latency_, launch_;
  std::vector<CoreResources> cores_;
  std::vector<noc::chip_switch::SwitchTiming> switches_;
  std::vector<std::unique_ptr<CollectiveRun>> runs_;
  std::vector<CollectiveRun*> finished_;  ///< by cores that are still at work
  base::systemc::TimedQueue<Timer> queue_;
  sc_core::sc_event wake_;
  bool settled_ = false;
  bool working_ = false;
};

/// How a core cuts what it sends on this machine: `link` is what a link carries during one remote-DMA latency, the
/// other two are assumptions of the machine file ([compiler]).
SegmentLengths segment_lengths(const hw::Machine& machine, ir::ElementType type);

}  // namespace podsim::sw::collectives
