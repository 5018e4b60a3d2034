// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "hw/access_pattern.h"
#include "hw/core_units.h"

/// An op at tile level is a pipeline of VMEM tiles. For every tile the sequencer issues DMA from HBM into one half of a
/// double buffer, waits for it on a sync flag, runs the tile's compute phases, and issues DMA back to HBM. Tile i+1
/// loads while tile i computes and tile i-1 drains. Any declared level of memory may stand in place of HBM.
///
/// A TileOp states traffic in bytes and work per unit, not what the op computes. The tile compiler in sw/ makes it.
namespace podsim::hw {

template <class Unit>
using WorkOf = typename Unit::Work;

/// Work that the units of a core do concurrently: `phase.of<Mxu>().rows`. The phases of a tile run in sequence.
struct TilePhase : CoreUnits::Per<WorkOf> {
  TilePhase() = default;
  /// A phase of these works; the other units have none: `TilePhase(MxuWork{...}, VectorWork{...})`.
  template <class... Works>
  requires(sizeof...(Works) > 0 &&
           (CoreUnits::contains<typename Works::Of> && ...)) explicit TilePhase(const Works&... works) {
    ((of<typename Works::Of>() = works), ...);
  }
  bool operator==(const TilePhase&) const = default;

  /// Calls visit(count of each of `phases`...) for each count of the work of each unit.
  template <class Visit, class... Phases>
  static void for_each_count(const Visit& visit, Phases&... phases) {
    CoreUnits::for_each([&](auto unit) {
      using Unit = typename decltype(unit)::type;
      Unit::Work::for_each_count(visit, phases.template of<Unit>()...);
    });
  }
};

/// Traffic of one DMA descriptor between a memory and VMEM: its size in bytes, a multiple of `shape.row`, its layout in
/// that memory, and the memory's number (hw/memory_levels.h): HBM or a declared level. A read is from it, a write to
/// it.
struct TileTransfer {
  base::Bytes bytes;
  AccessShape shape = {};
  int level = 0;
  bool operator==(const TileTransfer&) const = default;
};

struct TileWork {
  std::vector<TileTransfer> reads;  ///< to VMEM, all needed before the first phase
  std::vector<TilePhase> phases;
  std::vector<TileTransfer> writes;  ///< from VMEM, after the last phase
  bool operator==(const TileWork&) const = default;
};

/// A run of `count` equal tiles.
struct TileRun {
  std::int64_t count = 1;
  TileWork work;
  bool operator==(const TileRun&) const = default;
};

struct TileOp {
  std::string name;  ///< name in traces and reports: "conv2d_3 fusion"
  std::vector<TileRun> runs;
  base::Bytes vmem;  ///< VMEM that the op needs, including both halves of its double buffers
  /// Reads and writes take turns: a tile is written when the next one has been read, and the one after that is read
  /// when it has been written.
  bool in_turns = false;
};

}  // namespace podsim::hw
