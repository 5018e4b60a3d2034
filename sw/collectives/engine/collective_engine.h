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
#include "hw/chip/chip.h"
#include "hw/machine.h"
#include "noc/folded_topology.h"
#include "noc/ici/ici_port.h"
#include "noc/ici/service_order.h"
#include "sw/collectives/schedule/collective_schedule.h"

/// The timed executor of collectives inside a simulation: one module for all cores of a slice. It takes HBM, vector
/// units and switch from the chips (hw/chip/chip_transfers.h), sends messages through their IciPorts, and has a queue
/// of timers behind one event.
///
/// Like the fabric it breaks ties without regard to a chip's position. It works one delta cycle after the event that
/// woke it, when all timers of that time have been set, so that their order never depends on that of the SystemC
/// kernel.
///
///   CollectiveEngine engine("collectives", machine, topology, chips);
///   CollectiveRun& run = engine.begin(schedule, [](noc::NodeId chip, int core) { ... });   // any time
///   run.start(chip, core);                                                        // as each core reaches it
namespace podsim::sw::collectives::engine {

class CollectiveData;
class CollectiveRun;
class CoreRun;

class CollectiveEngine : public sc_core::sc_module {
 public:
  using OnFinish = std::function<void(noc::NodeId chip, int core)>;
  struct Timer {
    CoreRun* core;
    int kind;
    int queue;
    std::uint64_t tag;
  };

  /// `chips` are the representative chips of the topology, in order, with ICI; they outlive the engine.
  CollectiveEngine(sc_core::sc_module_name name, const hw::Machine& machine, const noc::FoldedTopology& topology,
                   const std::vector<hw::chip::Chip*>& chips, base::trace::ProbeSink* sink = nullptr);
  ~CollectiveEngine() override;

  /// Begins a collective over the engine's full topology. Cores are started one by one (CollectiveRun::start), and
  /// `on_finish` is called at the time at which a core is done. The run remains for its times; the memory that its
  /// cores needed is freed when the last of them is done. With `data`, which outlives the run, values move with the
  /// messages; the topology may not be folded then.
  CollectiveRun& begin(std::shared_ptr<const schedule::CollectiveSchedule> schedule, OnFinish on_finish,
                       CollectiveData* data = nullptr);

  /// Makes a record of the actions of each chip's cores. Call before the simulation, as the next one.
  void record(std::vector<noc::ici::ServiceOrder>& orders);
  /// Has every chip act in the order of another engine's record, which that engine made of the same collective on
  /// `recorded`, a folding of this topology.
  void follow(const std::vector<noc::ici::ServiceOrder>& orders, const noc::FoldedTopology& recorded);

  /// Names a message of a collective for the fabric's waveforms: "reduce-scatter y step 2, colour 0, segment 3", with
  /// the step only where the pattern has one (Pattern::step).
  std::string label(const noc::ici::Message& message) const;

  // For CollectiveRun and CoreRun.
  void finished(CollectiveRun& run) { finished_.push_back(&run); }
  void at(base::Time when, std::uint32_t rank, const Timer& timer);
  hw::chip::ChipTransfers& chip(noc::NodeId chip) { return *chips_[std::size_t(chip)][0]; }
  noc::ici::IciPort& port(noc::NodeId chip) { return *ports_[chip]; }
  /// chip(x,y).core0.collective: "reduce-scatter y step 2".
  base::trace::Probe<std::string>& phase(noc::NodeId chip, int core) {
    return phases_[std::size_t(chip) * cores_per_chip_ + core];
  }
  const hw::Machine& machine() const { return machine_; }
  const noc::FoldedTopology& topology() const { return topology_; }
  /// Work of a vector unit that adds `operands` arrays of `elements` each into one.
  hw::VectorWork addition(std::int64_t elements, ir::ElementType type, std::int64_t operands) const;
  /// Latency of a DMA between the halves of a chip's HBM beyond occupancy.
  base::Time dma_latency() const { return dma_latency_; }
  /// From the last byte of a remote DMA to the core seeing its flag.
  base::Time flag_latency() const { return flag_latency_; }
  /// From a core's arrival at a collective to its first action: time of the software.
  base::Time launch() const { return launch_; }

 private:
  void work();
  void serve(const Timer& timer);

  hw::Machine machine_;
  noc::FoldedTopology topology_;
  sc_core::sc_vector<sc_core::sc_port<hw::chip::ChipTransfers>> chips_;
  std::vector<noc::ici::IciPort*> ports_;
  int cores_per_chip_;
  base::Time dma_latency_, flag_latency_, launch_;
  std::vector<base::trace::Probe<std::string>> phases_;
  std::vector<std::unique_ptr<CollectiveRun>> runs_;
  std::vector<CollectiveRun*> finished_;  ///< runs to release when the timers of this time are done
  base::systemc::TimedQueue<Timer> queue_;
  std::vector<noc::ici::ServiceOrder>* record_ = nullptr;
  std::vector<noc::ici::OrderedService<Timer>> services_;  ///< by chip; empty without an order to follow
  sc_core::sc_event wake_;
  bool settled_ = false;
  bool working_ = false;
};

}  // namespace podsim::sw::collectives::engine
