// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "hw/access_pattern.h"

/// What a TensorCore executes at tile level: an op is a pipeline of VMEM tiles. For every tile the sequencer issues
/// DMA from HBM into one half of a double buffer, waits for it through a sync flag, runs the tile's compute phases, and
/// issues DMA back to HBM; tile i+1 loads while tile i computes and tile i-1 drains.
///
/// Nothing here knows what an op means: it is traffic and work per unit, made by the tile compiler in sw/.
namespace podsim::hw {

/// Matmul work of one phase: weights of `weight_tiles` 128 x 128 tiles are latched one after another, and past each
/// `rows` LHS rows are streamed. Shared out over the core's MXUs in whole weight tiles.
struct MxuWork {
  std::int64_t weight_tiles = 0;
  std::int64_t rows = 0;
  bool operator==(const MxuWork&) const = default;
};

/// Vector work of one phase, counted in operations on whole vector registers (8 x 128 lanes of 32 bits).
struct VectorWork {
  std::int64_t loads = 0;            ///< VMEM -> register
  std::int64_t stores = 0;           ///< register -> VMEM
  std::int64_t alu_ops = 0;          ///< fp32 / int32 operations, shared by the vector ALUs
  std::int64_t transcendentals = 0;  ///< exp, log, tanh, rsqrt, divide ... through the transcendental unit
  auto operator<=>(const VectorWork&) const = default;
};

/// Work that the units do side by side; the phases of a tile follow one another.
struct TilePhase {
  MxuWork mxu;
  VectorWork vector;
  std::int64_t cross_lane_ops = 0;  ///< 8 x 128 operations of the XLU: transpose, rotate, lane reduction
  base::Cycles scalar = {};         ///< scalar code, such as that which looks up rows and issues a DMA for each
  bool operator==(const TilePhase&) const = default;
};

/// Traffic between HBM and VMEM, one DMA descriptor: so many bytes, whole rows of their shape in the HBM.
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

/// `count` equal tiles in a row.
struct TileRun {
  std::int64_t count = 1;
  TileWork work;
  bool operator==(const TileRun&) const = default;
};

struct TileOp {
  std::string name;  ///< for traces and reports: "conv2d_3 fusion"
  std::vector<TileRun> runs;
  base::Bytes vmem;  ///< VMEM the op needs, both halves of its double buffers included
};

}  // namespace podsim::hw
