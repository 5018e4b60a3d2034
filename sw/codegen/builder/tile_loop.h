// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sw/codegen/builder/kernel_builder.h"
#include "sw/codegen/builder/tile_plan.h"

namespace podsim::sw::codegen::builder {

class TileLoop;

/// The loop over a plan in parts that follows another loop.
struct FollowingLoop {
  TileLoop* loop = nullptr;
  registers::ScalarOperand skip = 0;  ///< nonzero: the loop does not follow this time
};

/// Writes the loop over a plan's tiles. While a tile is computed, the next one is read and the previous one is written.
/// The order of events on the core is that of the tile level (hw/timing/tile_pipeline.h):
///
///   start the reads of tiles 0 and 1; then for each tile i
///     wait for its reads
///     wait until the writes from the output halves that it uses are done
///     perform the body
///     start its writes, then the reads of tile i + 2
///   wait for the last writes
///
/// The waits are marked "load", the body "compute", the rest "store", so that a run can be split by these marks. Each
/// half of each stream has a sync flag that counts its transfers, starting at number `first_flag`. Indices and transfer
/// counts are kept in SMEM, so that a body may use nearly all registers.
class TileLoop {
 public:
  /// Allocates VMEM, SMEM and flags. Throws base::InputError if they do not suffice. The plan may have at most three
  /// dimensions.
  TileLoop(KernelBuilder& builder, const TilePlan& plan, int first_flag = 0);
  ~TileLoop();
  TileLoop(const TileLoop&) = delete;
  TileLoop& operator=(const TileLoop&) = delete;

  /// The current tile, while the body is written. Each call writes the code that computes the value.
  class Tile {
   public:
    registers::ScalarReg index(int dimension) const;
    /// First VMEM row of the half of a stream that this tile uses, and the stream's buffer for RowAddress.
    registers::ScalarReg row(int stream) const;
    int buffer(int stream) const;
    /// Nonzero if the previous tile had the same data of this stream.
    registers::ScalarOperand reused(int stream) const;
    /// Begin and length of this tile's part of a window; a literal if it is the same for all tiles.
    registers::ScalarOperand begin(const TileWindow& window) const;
    registers::ScalarOperand length(const TileWindow& window) const;

   private:
    friend class TileLoop;
    explicit Tile(const TileLoop& loop) : loop_(loop) {}
    const TileLoop& loop_;
  };

  /// Writes the whole loop, including the waits for the last writes. For a plan in VMEM, writes only the body.
  void run(const std::function<void(const Tile&)>& body);

  /// The DMAs of a plan of one tile: those of its inputs, or of its outputs.
  std::vector<hw::isa::DmaDescriptor> transfers(TileRole role) const;

  // run() step by step, for kernels that pass over HBM more than once: the reads of the first two tiles, the loop, the
  // waits. With a plan in parts, all three are in a loop over its parts. The first two tiles of a following loop are
  // read while the last two tiles of this loop are computed, instead of by its start(). By then, all tiles of this loop
  // except the last four have been written.
  void start();
  void run_tiles(const std::function<void(const Tile&)>& body, const FollowingLoop& following = {});
  void wait_for_writes();

 private:
  void run_in_place(const std::function<void(const Tile&)>& body);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace podsim::sw::codegen::builder
