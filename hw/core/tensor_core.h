// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "hw/core/core.h"
#include "hw/core/sequencer.h"

namespace podsim::hw::core {

/// A TensorCore at tile level: sequencer, the units of CoreUnits, VMEM, sync flags and DMA engine, joined by ports. Its
/// HBM half is bound to dma().to_hbm, its host's queues to to_host().
class TensorCore : public sc_core::sc_module, public Core {
 public:
  TensorCore(sc_core::sc_module_name name, const Machine& machine, CoreId id, CoreRuntime& runtime, const Trace& trace);

  CoreId id() const override { return id_; }
  void complete_external() override { sequencer_.complete_external(); }
  void resume() override { sequencer_.resume(); }
  base::Cycles now() const override { return time_.now(); }
  base::Time time_of(base::Cycles cycle) const override { return time_.time_of(cycle); }

  /// See Sequencer.
  void on_op(std::function<void(const TileOp*)> notify) { sequencer_.on_op(std::move(notify)); }
  DmaEngine& dma() { return dma_; }
  sc_core::sc_port<host::HostQueues>& to_host() { return sequencer_.to_host; }
  const Vmem& vmem() const { return vmem_; }

 private:
  CoreId id_;
  CoreTime time_;
  Sequencer sequencer_;
  template <class Unit>
  using Modules = std::deque<TimedUnit<Unit>>;
  CoreUnits::Per<Modules> units_;
  Vmem vmem_;
  SyncFlags flags_;
  DmaEngine dma_;
};

}  // namespace podsim::hw::core
