// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hw/machine.h"
#include "hw/tile_op.h"

/// A kernel's division into tiles that pass through VMEM, as data: the grid of tiles and the transfers of each tile.
/// The same plan becomes bundles (sw/codegen/builder/tile_loop.h) and a TileOp of the tile level. The TileOp also gives
/// the estimate by which plans are chosen.
namespace podsim::sw::codegen::builder {

/// The part of a range that a tile has, along a dimension of the grid: `length` units from i * step - before, clipped
/// at 0 and `total`. i is the tile's index in `dimension`, and 0 if that is -1. The overlap of windows (length > step)
/// is read more than once.
struct TileWindow {
  int dimension = -1;
  std::int64_t step = 1;
  std::int64_t length = 1;
  std::int64_t before = 0;
  std::int64_t total = 1;

  /// All `units` in one piece.
  static TileWindow whole(std::int64_t units) { return {-1, units, units, 0, units}; }
  /// Pieces of `units` units each; the last may be shorter.
  static TileWindow tiled(int dimension, std::int64_t units, std::int64_t total) {
    return {dimension, units, units, 0, total};
  }
  std::int64_t begin(std::int64_t index) const;
  std::int64_t end(std::int64_t index) const;
  /// Returns true if none of `count` tiles is clipped.
  bool uniform(std::int64_t count) const;
  /// Returns true if one of `count` tiles is empty.
  bool leaves_empty(std::int64_t count) const;
};

enum class TileRole : std::uint8_t { input, output };

/// Offsets in words of one of the DMAs that move a tile, from the addresses of the stream.
struct TilePiece {
  std::int64_t hbm = 0, vmem = 0;
};

/// An array that is read or written in tiles, by a 2-D DMA for each piece. DMA row r of tile (i...) is at
///
///   HBM word   address + piece.hbm + sum of i[d] * steps[d] + (rows.begin + r) * hbm_stride + words.begin
///   VMEM word  128 * first row of the half + piece.vmem + (rows.begin - unclipped begin + r) * vmem_stride
///
/// An input is loaded for a tile if an index in a dimension that the stream uses differs from the previous tile. It
/// goes into the half of the stream's double buffer that was not used last. An output is written after the last of the
/// consecutive tiles that share those indices. A stream that is moved only once has a single buffer.
struct TileStream {
  std::string name;
  TileRole role = TileRole::input;
  std::uint32_t address = 0;        ///< HBM words
  std::vector<std::int64_t> steps;  ///< HBM words per dimension, in addition to the windows' movement; may be empty
  TileWindow rows;                  ///< rows of the DMA
  TileWindow words;                 ///< words per row; `before` is 0
  std::int64_t hbm_stride = 0;      ///< words
  std::int64_t vmem_stride = 0;     ///< words
  std::int64_t vmem_rows = 0;       ///< VMEM rows of a tile
  std::vector<TilePiece> pieces = {{}};
};

struct TilePlan {
  /// Tiles along each dimension, outermost first.
  std::vector<std::int64_t> counts;
  std::vector<TileStream> streams;
  std::int64_t scratch_rows = 0;  ///< VMEM rows in addition to those of the streams
  /// The outermost dimension counts parts, and every stream uses it. The loop over the tiles of a part is in a loop
  /// over parts, which may also contain the loops of other plans (TileLoop).
  bool in_parts = false;
  /// The arrays are in VMEM before the kernel begins and stay there: one tile, and nothing moves.
  bool in_vmem = false;

  std::int64_t tiles() const;
  /// Number of tiles in one run of the loop: all, or those of a part.
  std::int64_t tiles_in_run() const { return in_parts ? tiles() / counts[0] : tiles(); }
  /// Returns true if a stream's tile changes with a dimension.
  bool uses(const TileStream& stream, int dimension) const;
  /// Dimensions inside all those that a stream uses. Tiles that differ only in these share the stream's tile.
  std::vector<int> shared_dimensions(const TileStream& stream) const;
  /// Returns true if a tile is the first of those that share the stream's tile.
  bool first_of_period(const TileStream& stream, std::span<const std::int64_t> indices) const;
  /// Number of consecutive tiles that share a stream's tile.
  std::int64_t period(const TileStream& stream) const;
  /// Number of times that a tile of the stream is moved, in the whole kernel.
  std::int64_t transfers(const TileStream& stream) const { return tiles() / period(stream); }
  /// Number of times that each part of the stream's array is moved: transfers divided by distinct tiles of the stream.
  std::int64_t passes(const TileStream& stream) const;
  /// VMEM rows that a stream's single or double buffer takes.
  std::int64_t buffer_rows(const TileStream& stream) const;
  std::int64_t vmem_rows() const;
  /// The indices in all dimensions of tile number `tile`.
  std::vector<std::int64_t> indices(std::int64_t tile) const;
};

/// Makes the TileOp of a plan for the tile level, with the phases of each tile.
hw::TileOp make_tile_op(const TilePlan& plan, const std::string& name,
                        const std::function<std::vector<hw::TilePhase>(std::span<const std::int64_t> indices)>& phases);

}  // namespace podsim::sw::codegen::builder
