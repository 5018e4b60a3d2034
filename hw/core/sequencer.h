// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hw/core/core.h"
#include "hw/core/dma_engine.h"
#include "hw/core/sync_flags.h"
#include "hw/core/timed_unit.h"
#include "hw/core/vmem.h"
#include "hw/host/host_queues.h"
#include "hw/timing/tile_cursor.h"
#include "hw/timing/tile_regions.h"

namespace podsim::hw::core {

/// The sequencer of a core, which controls the units behind its ports: one thread that executes commands in order and
/// never overlaps two of them. It executes the loop over the tiles of an op (timing/tile_loop.h) with real units,
/// sync flags and DMA, in the cycles that the recurrence gives (timing/tile_pipeline.h).
class Sequencer : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Sequencer);
  Sequencer(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, Core& core,
            CoreRuntime& runtime, const Trace& trace);

  /// Ports to the units, one for each of a kind.
  template <class Unit>
  using UnitPorts = std::deque<sc_core::sc_port<UnitPort<typename Unit::Work>>>;
  CoreUnits::Per<UnitPorts> to_units;
  sc_core::sc_port<VmemAccess> to_vmem{"to_vmem"};
  sc_core::sc_port<FlagAccess> to_flags{"to_flags"};
  sc_core::sc_port<DescriptorQueue> to_dma{"to_dma"};
  sc_core::sc_port<host::HostQueues> to_host{"to_host"};

  /// What the sequencer uses its first sync flags for, in order.
  static constexpr std::array<const char*, 4> flag_names{"input0", "input1", "output0", "output1"};

  /// See Core.
  void complete_external();
  void resume() { resumed_.notify(sc_core::SC_ZERO_TIME); }
  /// Sets the function to call when an op begins, and with nullptr when it has ended.
  void on_op(std::function<void(const TileOp*)> notify) { on_op_ = std::move(notify); }

 private:
  class TileExecutor;

  /// Counters of the units, for the difference that one op makes.
  struct UnitCounters {
    UnitCycles busy;
    std::int64_t hbm_ticks = 0;
  };

  void run();
  bool run_program();
  std::string refusal(const Command& command) const;
  void execute(const Command& command);
  void perform(const RunOp& command, CommandRecord& record);
  void perform(const RunFor& command, CommandRecord& record);
  void perform(const Delay& command, CommandRecord& record);
  void perform(const Infeed& command, CommandRecord& record);
  void perform(const Outfeed& command, CommandRecord& record);
  void perform(const External& command, CommandRecord& record);

  void copy_host_data(base::Bytes bytes, std::int64_t tensors);
  void run_tiles(const TileOp& op, std::string_view label, OpResult& result);
  void run_phases(const TileWork& work, std::string_view label, OpResult& result);
  void control(base::Cycles cycles, OpResult& result);
  void wait_until(base::Cycles cycle);
  UnitCounters counters() const;
  void enter(const char* state);
  void show_op(std::string_view name);
  /// Watts of the core in an op that takes `cycles` by itself.
  void show_power(const TileOp& op, base::Cycles cycles);

  Machine machine_;
  const CoreTime& time_;
  Core& core_;
  CoreRuntime& runtime_;
  base::trace::Timeline* timeline_;
  base::trace::Timeline::Track track_ = 0;
  base::trace::Probe<std::string> state_, op_, infeed_, outfeed_;
  base::trace::Probe<double> watts_;  ///< while an op runs the mean of the op, in all other time what is always drawn

  base::Cycles now_;  ///< the current cycle of the thread
  /// Addresses of the current op; here, since what is on the stack of a thread that never ends is not given back.
  std::optional<timing::TileRegions> regions_;
  std::function<void(const TileOp*)> on_op_ = [](const TileOp*) {};
  bool external_complete_ = false;
  sc_core::sc_event external_event_, resumed_;
};

}  // namespace podsim::hw::core
