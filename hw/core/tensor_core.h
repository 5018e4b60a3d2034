// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/core/core.h"
#include "hw/core/sequencer.h"

namespace podsim::hw::core {

/// A TensorCore at tile level: sequencer, matrix units, vector unit, cross-lane unit, VMEM, sync flags and DMA engine.
/// Its HBM half is bound to dma().to_hbm.
class TensorCore : public sc_core::sc_module, public Core {
 public:
  TensorCore(sc_core::sc_module_name name, const Machine& machine, CoreId id, host::HostPort& host,
             CoreRuntime& runtime, const Trace& trace);

  CoreId id() const override { return id_; }
  void complete_external() override { sequencer_.complete_external(); }
  base::Cycles now() const override { return time_.now(); }
  base::Time time_of(base::Cycles cycle) const override { return time_.time_of(cycle); }

  DmaEngine& dma() { return *units_.dma; }
  const Vmem& vmem() const { return *units_.vmem; }

 private:
  static CoreUnits make_units(const Machine& machine, const CoreTime& time, const Trace& trace);

  CoreId id_;
  CoreTime time_;
  CoreUnits units_;
  Sequencer sequencer_;
};

}  // namespace podsim::hw::core
