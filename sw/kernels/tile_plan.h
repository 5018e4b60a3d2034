// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hw/machine.h"
#include "hw/tile_op.h"

/// How a kernel is cut into tiles that pass through VMEM, as data: the grid of tiles and what each tile moves. The same
/// plan becomes bundles (tile_loop.h) and a TileOp of the tile level, which is also what plans are chosen by.
namespace podsim::sw {

/// Which part of something is a tile's, along one dimension of the grid: `length` units from i * step - before on, cut
/// off at 0 and `total`. i is the tile's index in `dimension`; without one (-1) it is always 0. Windows that overlap
/// (length > step) are read more than once.
struct TileWindow {
  int dimension = -1;
  std::int64_t step = 1;
  std::int64_t length = 1;
  std::int64_t before = 0;
  std::int64_t total = 1;

  /// `units` in one piece.
  static TileWindow whole(std::int64_t units) { return {-1, units, units, 0, units}; }
  /// Cut into pieces of `units`; the last may be shorter.
  static TileWindow cut(int dimension, std::int64_t units, std::int64_t total) {
    return {dimension, units, units, 0, total};
  }
  std::int64_t begin(std::int64_t index) const;
  std::int64_t end(std::int64_t index) const;
  /// Whether none of `count` tiles is cut off.
  bool uniform(std::int64_t count) const;
  /// Whether one of `count` tiles has nothing.
  bool leaves_empty(std::int64_t count) const;
};

enum class TileRole : std::uint8_t { input, output };

/// Words by which one of the DMAs that move a tile is further than the stream says.
struct TilePiece {
  std::int64_t hbm = 0, vmem = 0;
};

/// An array that comes in or goes out in tiles, by a 2-D DMA for each piece: DMA row r of tile (i...) is at
///
///   HBM word   address + piece.hbm + sum of i[d] * steps[d] + (rows.begin + r) * hbm_stride + words.begin
///   VMEM word  128 * first row of the half + piece.vmem + (rows.begin - uncut begin + r) * vmem_stride
///
/// An input is loaded for a tile whose index in a dimension that the stream uses differs from the tile before, into the
/// half of its double buffer that was not used last. An output goes out after the last of the tiles in a row that share
/// those indices. A stream that is moved only once has a single buffer.
struct TileStream {
  std::string name;
  TileRole role = TileRole::input;
  std::uint32_t address = 0;        ///< HBM words
  std::vector<std::int64_t> steps;  ///< HBM words per dimension of the grid, beyond what the windows move; may be empty
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
  std::int64_t scratch_rows = 0;  ///< VMEM rows besides the streams'
  /// The outermost dimension counts parts, which every stream uses: the loop over the tiles of one part stands in a
  /// loop over parts, beside those of other plans (TileLoop).
  bool in_parts = false;
  /// The arrays are in VMEM before and stay there: one tile, and nothing moves.
  bool in_vmem = false;

  std::int64_t tiles() const;
  /// Tiles that one run of the loop goes through: all, or those of a part.
  std::int64_t tiles_in_run() const { return in_parts ? tiles() / counts[0] : tiles(); }
  /// Whether a stream's tile changes with a dimension.
  bool uses(const TileStream& stream, int dimension) const;
  /// Dimensions inside of all that a stream uses: tiles that differ in these only share its tile.
  std::vector<int> shared_dimensions(const TileStream& stream) const;
  /// Whether a tile is the first of those that share the stream's.
  bool first_of_period(const TileStream& stream, std::span<const std::int64_t> indices) const;
  /// Tiles in a row that share a stream's tile.
  std::int64_t period(const TileStream& stream) const;
  /// Times that it is moved.
  std::int64_t transfers(const TileStream& stream) const { return tiles() / period(stream); }
  /// How often each of its parts is moved: the transfers over the different tiles of the stream.
  std::int64_t passes(const TileStream& stream) const;
  /// VMEM rows that a stream's single or double buffer takes.
  std::int64_t buffer_rows(const TileStream& stream) const;
  std::int64_t vmem_rows() const;
  /// The index in every dimension of a tile by its number.
  std::vector<std::int64_t> indices(std::int64_t tile) const;
};

/// The plan with each tile's phases, for the tile level.
hw::TileOp make_tile_op(const TilePlan& plan, const std::string& name,
                        const std::function<std::vector<hw::TilePhase>(std::span<const std::int64_t> indices)>& phases);

}  // namespace podsim::sw
