// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/trace/probe.h"
#include "hw/chip/chip_transfers.h"
#include "noc/folded_topology.h"
#include "noc/ici/message.h"
#include "sw/target_machine.h"

/// Services that an executor provides to the cores of a collective: time, timers, chips and a network. There are two
/// executors, both of them LookAhead: CollectiveEngine is a module of a SystemC simulation, DirectEngine executes one
/// collective by itself.
namespace podsim::sw::collectives::engine {

class CollectiveRun;
class CoreRun;

class Surroundings {
 public:
  struct Timer {
    CoreRun* core;
    int kind;
    int queue;
    std::uint64_t tag;
  };

  Surroundings(const TargetMachine& machine, const noc::FoldedTopology& topology);
  virtual ~Surroundings() = default;
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  virtual base::Time now() const = 0;
  /// Has CoreRun::due called at a time; timers of one time are due in the order of their ranks, then as they were set.
  virtual void at(base::Time when, std::uint32_t rank, const Timer& timer) = 0;
  /// Sends a message of a run now, from a core of a chip.
  virtual void send(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message) = 0;
  virtual hw::chip::ChipTransfers& chip(noc::NodeId chip) = 0;
  /// chip(x,y).core0.collective: "reduce-scatter y step 2".
  virtual base::trace::Probe<std::string>& phase(noc::NodeId chip, int core) = 0;
  /// A run that receives messages from now on; and one whose cores are all done.
  virtual void begun(CollectiveRun& run) = 0;
  virtual void finished(CollectiveRun& run) = 0;

  const TargetMachine& machine() const { return machine_; }
  const noc::FoldedTopology& topology() const { return topology_; }
  int cores_per_chip() const { return cores_per_chip_; }
  /// From the last byte of a remote DMA at the end of its last link to the core seeing its flag. The crossing of the
  /// sender's on-chip switch is in it too: all messages of a link would take it later by the same time.
  base::Time flag_latency() const { return flag_latency_; }

 private:
  TargetMachine machine_;
  noc::FoldedTopology topology_;
  int cores_per_chip_;
  base::Time flag_latency_;
};

}  // namespace podsim::sw::collectives::engine
