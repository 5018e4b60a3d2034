// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "hw/core.h"
#include "hw/cross_lane_unit.h"
#include "hw/dma_engine.h"
#include "hw/host_port.h"
#include "hw/mxu.h"
#include "hw/sync_flags.h"
#include "hw/tile_cursor.h"
#include "hw/tile_regions.h"
#include "hw/vector_unit.h"
#include "hw/vmem.h"

namespace podsim::hw {

/// The units that a sequencer directs.
struct CoreUnits {
  std::vector<std::unique_ptr<Mxu>> mxus;
  std::unique_ptr<VectorUnit> vector;
  std::unique_ptr<CrossLaneUnit> cross_lane;
  std::unique_ptr<Vmem> vmem;
  std::unique_ptr<SyncFlags> flags;
  std::unique_ptr<DmaEngine> dma;
};

/// The sequencer of a core: one thread that executes commands in order and never overlaps two of them. How it pipelines
/// the tiles of an op stands in tile_pipeline.h, whose durations it reproduces cycle for cycle with real units, sync
/// flags and DMA.
class Sequencer : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Sequencer);
  Sequencer(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, CoreUnits& units,
            HostPort& host, Core& core, CoreRuntime& runtime, const Trace& trace);

  /// See Core.
  void complete_external();

 private:
  /// The units' own counts, to tell what one op adds.
  struct UnitCounters {
    base::Cycles mxu, vector, cross_lane;
    std::int64_t hbm_ticks = 0;
  };

  void run();
  std::string refusal(const Command& command) const;
  void execute(const Command& command);
  void perform(const RunOp& command, CommandRecord& record);
  void perform(const RunFor& command, CommandRecord& record);
  void perform(const Delay& command, CommandRecord& record);
  void perform(const Infeed& command, CommandRecord& record);
  void perform(const Outfeed& command, CommandRecord& record);
  void perform(const External& command, CommandRecord& record);

  void run_tiles(const TileOp& op, std::string_view label, OpResult& result);
  void run_phases(const TileWork& work, std::string_view label, OpResult& result);
  void fetch(TileCursor& cursor, OpResult& result);
  void issue_all(Direction direction, const TileCursor& tile, std::size_t flag, OpResult& result);
  void issue(Direction direction, const AccessPattern& pattern, std::size_t flag, OpResult& result);
  void control(base::Cycles cycles, OpResult& result);
  void wait_for_flag(std::size_t flag, base::Cycles& wait_time, const char* state);
  void wait_until(base::Cycles cycle);
  UnitCounters counters() const;
  void enter(const char* state);
  void show_op(std::string_view name);

  Machine machine_;
  const CoreTime& time_;
  CoreUnits& units_;
  HostPort& host_;
  Core& core_;
  CoreRuntime& runtime_;
  base::Timeline* timeline_;
  base::Timeline::Track track_ = 0;
  base::Probe<std::string> state_, op_, infeed_, outfeed_;

  base::Cycles now_;                      ///< the cycle in which the thread stands
  std::optional<TileRegions> regions_;    ///< of this op
  std::array<std::int64_t, 4> issued_{};  ///< descriptors of this op, per sync flag
  std::size_t fetched_ = 0;               ///< tiles of this op whose reads have been issued
  bool external_complete_ = false;
  sc_core::sc_event external_event_;
};

}  // namespace podsim::hw
