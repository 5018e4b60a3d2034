// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sw/kernels/kernel_builder.h"
#include "sw/kernels/tile_plan.h"

namespace podsim::sw {

class TileLoop;

/// The loop over a plan in parts that comes after another one.
struct FollowingLoop {
  TileLoop* loop = nullptr;
  ScalarOperand skip = 0;  ///< not 0: it does not come this time
};

/// Writes a plan's tiles as bundles: while a tile is worked on, the next one comes in and the one before goes out. In
/// the order of the core, which is that of the tile level (hw/tile_pipeline.h):
///
///   reads of tiles 0 and 1; then for each tile i
///     wait for its reads
///     wait until the writes from the output halves that it uses are done
///     the body
///     its writes, then the reads of tile i + 2
///   wait for the last writes
///
/// Waiting is marked "load", the body "compute", what follows "store", so that a run can be split by phases. Every half
/// of every stream has a sync flag, from `first_flag` on, that counts its transfers. Indices and transfer
/// counts are kept in SMEM, so a body may use nearly all registers.
class TileLoop {
 public:
  /// Takes VMEM, SMEM and flags; base::InputError where they do not suffice. The plan's dimensions are at most three.
  TileLoop(KernelBuilder& builder, const TilePlan& plan, int first_flag = 0);
  ~TileLoop();
  TileLoop(const TileLoop&) = delete;
  TileLoop& operator=(const TileLoop&) = delete;

  /// The tile at hand, while the body is written. Each call writes the code that finds the value.
  class Tile {
   public:
    ScalarReg index(int dimension) const;
    /// First VMEM row of a stream's half, and its buffer for RowAddress.
    ScalarReg row(int stream) const;
    int buffer(int stream) const;
    /// Not 0 if an earlier tile had this stream's data already.
    ScalarOperand reused(int stream) const;
    /// The part of a window that this tile has: a literal where it is always the same.
    ScalarOperand begin(const TileWindow& window) const;
    ScalarOperand length(const TileWindow& window) const;

   private:
    friend class TileLoop;
    explicit Tile(const TileLoop& loop) : loop_(loop) {}
    const TileLoop& loop_;
  };

  /// Writes the whole loop, the waits for the last writes included; of a plan in VMEM the body alone.
  void run(const std::function<void(const Tile&)>& body);

  /// The DMAs of a plan of one tile: those of its inputs, or of its outputs.
  std::vector<hw::isa::DmaDescriptor> transfers(TileRole role) const;

  // The same step by step, for kernels that go over HBM more than once: the reads of the first two tiles; the loop; the
  // waits. With a plan in parts all three stand in a loop over its parts. The first two tiles of a loop that follows
  // are read while the last two of this one are worked on, instead of by its start(): by then, all but the last four
  // tiles of this one have been written.
  void start();
  void run_tiles(const std::function<void(const Tile&)>& body, const FollowingLoop& following = {});
  void wait_for_writes();

 private:
  void run_in_place(const std::function<void(const Tile&)>& body);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace podsim::sw
