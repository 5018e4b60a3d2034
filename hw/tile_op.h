// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "hw/access_pattern.h"

/// An op at tile level is a pipeline of VMEM tiles. For every tile the sequencer issues DMA from HBM into one half of a
/// double buffer, waits for it on a sync flag, runs the tile's compute phases, and issues DMA back to HBM. Tile i+1
/// loads while tile i computes and tile i-1 drains.
///
/// A TileOp has no meaning: it is traffic and work per unit, made by the tile compiler in sw/.
namespace podsim::hw {

/// Matmul work of one phase: `weight_tiles` weight tiles of 128 x 128 are latched in sequence, and `rows` LHS rows
/// stream past each. Whole weight tiles are dealt out over the core's MXUs.
struct MxuWork {
  std::int64_t weight_tiles = 0;
  std::int64_t rows = 0;
  bool operator==(const MxuWork&) const = default;
};

/// Vector work of one phase, in operations on whole vector registers (8 x 128 lanes of 32 bits).
struct VectorWork {
  std::int64_t loads = 0;            ///< VMEM -> register
  std::int64_t stores = 0;           ///< register -> VMEM
  std::int64_t alu_ops = 0;          ///< fp32 / int32 operations, shared by the vector ALUs
  std::int64_t transcendentals = 0;  ///< exp, log, tanh, rsqrt, divide ... through the transcendental unit
  auto operator<=>(const VectorWork&) const = default;
};

/// Work that the units do concurrently. The phases of a tile run in sequence.
struct TilePhase {
  MxuWork mxu;
  VectorWork vector;
  std::int64_t cross_lane_ops = 0;  ///< 8 x 128 operations of the XLU: transpose, rotate, lane reduction
  base::Cycles scalar = {};         ///< scalar code, such as looking up rows and issuing a DMA for each
  bool operator==(const TilePhase&) const = default;
};

/// Traffic of one DMA descriptor between HBM and VMEM: its size in bytes, a multiple of `shape.row`, and its layout in
/// the HBM.
struct TileTransfer {
  base::Bytes bytes;
  AccessShape shape = {};
  bool operator==(const TileTransfer&) const = default;
};

struct TileWork {
  std::vector<TileTransfer> reads;  ///< HBM -> VMEM, all needed before the first phase
  std::vector<TilePhase> phases;
  std::vector<TileTransfer> writes;  ///< VMEM -> HBM, after the last phase
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
  /// Reads and writes do not go on at the same time: a tile is written when the next one has been read, and the one
  /// after that is read when it has been written.
  bool in_turns = false;
};

}  // namespace podsim::hw
