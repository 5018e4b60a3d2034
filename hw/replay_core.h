// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "hw/core.h"
#include "hw/core_time.h"
#include "hw/host_port.h"
#include "hw/tile_pipeline.h"

namespace podsim::hw {

/// A core without units, for pods of thousands of chips: every command is one event. RunFor takes its recorded cycles;
/// RunOp takes what the recurrence of TilePipeline gives, which are the cycles of a TensorCore.
class ReplayCore : public sc_core::sc_module, public Core {
 public:
  SC_HAS_PROCESS(ReplayCore);
  /// `machine` outlives the core; all cores share it.
  ReplayCore(sc_core::sc_module_name name, const Machine& machine, CoreId id, HostPort& host, CoreRuntime& runtime);

  CoreId id() const override { return id_; }
  void complete_external() override;
  base::Cycles now() const override { return time_.now(); }
  base::Time time_of(base::Cycles cycle) const override { return time_.time_of(cycle); }

 private:
  enum class Stage { fetch, wait_for_batch, wait_for_room, wait_for_external, wait_for_end, stopped };

  void work();
  bool step();
  void fetch();
  bool wait_for_batch();
  bool wait_for_room();
  bool wait_for_external();
  bool wait_for_end();
  void begin(const RunOp& command);
  void begin(const RunFor& command);
  void begin(const Delay& command);
  void begin(const Infeed& command);
  void begin(const Outfeed& command);
  void begin(const External& command);
  void end_at(base::Cycles cycle);

  const Machine& machine_;
  CoreId id_;
  CoreTime time_;
  HostPort& host_;
  CoreRuntime& runtime_;
  Stage stage_ = Stage::fetch;
  std::optional<Command> command_;
  OpResult op_;
  base::Cycles start_, end_;  ///< of the present command
  base::Cycles waiting_;
  bool external_complete_ = false;
  sc_core::sc_event wake_;
};

}  // namespace podsim::hw
