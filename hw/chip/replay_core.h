// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "hw/core/core.h"
#include "hw/core_time.h"
#include "hw/host/host_queues.h"
#include "hw/timing/contended_op.h"
#include "hw/timing/tile_pipeline.h"

namespace podsim::hw::chip {

/// A core without units, for pods of thousands of chips. Every command is one event: RunFor takes its recorded cycles,
/// and RunOp takes the cycles of TilePipeline's recurrence, which equal those of a TensorCore. Either
/// is longer if transfers claim the HBM at the same time (timing/contended_op.h).
///
/// The core of a slow chip takes 1 / clock of the cycles, rounded up, for ops and for copies from and to the host. It
/// keeps the edges of the healthy clock, so that no command ends earlier than on a healthy chip. An op takes as long as
/// on a machine with hbm / clock of the rate of the HBM, in cycles of the slow clock.
class ReplayCore : public sc_core::sc_module, public core::Core {
 public:
  SC_HAS_PROCESS(ReplayCore);
  /// `machine` must outlive the core; all cores share it. Claims on `hbm` delay the core's ops. The cycles of a RunFor
  /// are those of the clock of this chip.
  ReplayCore(sc_core::sc_module_name name, const Machine& machine, core::CoreId id, timing::HbmOccupancy& hbm,
             core::CoreRuntime& runtime, const noc::ChipSpeed& speed = {});

  sc_core::sc_port<host::HostQueues> to_host{"to_host"};

  core::CoreId id() const override { return id_; }
  void complete_external() override;
  void resume() override { wake_.notify(sc_core::SC_ZERO_TIME); }
  base::Cycles now() const override { return time_.now(); }
  base::Time time_of(base::Cycles cycle) const override { return time_.time_of(cycle); }

 private:
  enum class State { fetch, wait_for_batch, wait_for_room, wait_for_external, wait_for_end, stopped };

  void work();
  bool step();
  bool fetch();
  bool wait_for_batch();
  bool wait_for_room();
  bool wait_for_external();
  bool wait_for_end();
  void run_op(const TileOp& op);
  void delay_op();
  void begin(const RunOp& command);
  void begin(const RunFor& command);
  void begin(const Delay& command);
  void begin(const Infeed& command);
  void begin(const Outfeed& command);
  void begin(const External& command);
  void end_at(base::Cycles cycle);
  base::Cycles slowed(base::Cycles cycles) const;

  const Machine& machine_;
  double clock_speed_;
  core::CoreId id_;
  CoreTime time_;
  timing::HbmOccupancy& hbm_;
  core::CoreRuntime& runtime_;
  State state_ = State::fetch;
  std::optional<Command> command_;
  OpResult op_;
  timing::ContendedOp contended_;  ///< while a RunOp or RunFor runs
  base::Cycles start_, end_;       ///< of the current command
  base::Cycles waiting_;
  bool external_complete_ = false;
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw::chip
