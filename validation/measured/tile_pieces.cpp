// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/tile_pieces.h"

#include <algorithm>

#include "hlo/array_tile.h"

namespace podsim::validation::measured {
namespace {

/// Elements along the i-th most minor dimension in one layout tile.
std::int64_t unit_of(int i) { return i == 0 ? hlo::tile_lanes : i == 1 ? hlo::tile_sublanes : 1; }

/// A dimension and the tiles that it is divided into.
struct CutDimension {
  std::int64_t size = 1, extent = 1;
  bool whole() const { return extent >= size; }
  std::int64_t tiles() const { return base::divide_round_up(size, extent); }
};

CutDimension cut_dimension(const hlo::Shape& array, const std::vector<std::int64_t>& extents, int i) {
  if (i >= array.rank()) return {};
  const auto d = std::size_t(array.minor_dimension(i));
  return {array.dimensions[d], std::max<std::int64_t>(1, extents[d])};
}

/// Pieces and rows of 128 words in one matrix of the two minor dimensions. Tiles that have every word of the matrix,
/// a piece each, are counted apart: they adjoin those of the next matrix.
struct MatrixPieces {
  std::int64_t pieces = 0, words = 0, whole = 0;
};

/// Pieces of rows `begin` to `end` and of `columns` layout tiles along the lanes, which may be all of them. A word
/// holds `packed` rows.
MatrixPieces rows_pieces(std::int64_t begin, std::int64_t end, std::int64_t packed, std::int64_t columns, bool whole) {
  const std::int64_t layout_tile = std::max<std::int64_t>(1, hlo::tile_sublanes / packed);
  const std::int64_t first = begin / packed, last = base::divide_round_up(end, packed);
  const std::int64_t touched = base::divide_round_up(last, layout_tile) - first / layout_tile;
  const std::int64_t ends = (first % layout_tile != 0 ? 1 : 0) + (last % layout_tile != 0 ? 1 : 0);
  const std::int64_t parts = std::min(touched, ends);
  // The last layout tile along the lanes and the first one of the next sublanes adjoin.
  const std::int64_t adjoining = whole ? touched - 1 : 0;
  return {touched - parts + parts * columns - adjoining, (last - first) * columns};
}

MatrixPieces matrix_pieces(const CutDimension& lanes, const CutDimension& rows, std::int64_t packed) {
  MatrixPieces all;
  const std::int64_t end_of_rows = base::round_up(rows.size, hlo::tile_sublanes);
  for (std::int64_t lane = 0; lane < lanes.size; lane += lanes.extent) {
    const std::int64_t columns = base::divide_round_up(std::min(lanes.extent, lanes.size - lane), hlo::tile_lanes);
    for (std::int64_t row = 0; row < rows.size; row += rows.extent) {
      const std::int64_t end = row + rows.extent >= rows.size ? end_of_rows : row + rows.extent;
      const MatrixPieces tile = rows_pieces(row, end, packed, columns, lanes.whole());
      const bool every_word = lanes.whole() && row < packed && base::round_up(end, packed) >= end_of_rows;
      (every_word ? all.whole : all.pieces) += tile.pieces;
      all.words += tile.words;
    }
  }
  return all;
}

}  // namespace

std::vector<std::int64_t> tile_extents(const hlo::Shape& array, const std::vector<std::int64_t>& bounds) {
  std::vector<std::int64_t> extents(array.dimensions.size(), 1);
  for (int i = 0; i < array.rank(); ++i) {
    const std::int64_t bound = bounds[bounds.size() - 1 - std::size_t(i)];
    const auto d = std::size_t(array.minor_dimension(i));
    extents[d] = bound > array.dimensions[d] ? array.dimensions[d] : std::max<std::int64_t>(1, bound) * unit_of(i);
  }
  return extents;
}

TilePieces tile_pieces(const hlo::Shape& array, const std::vector<std::int64_t>& extents) {
  const CutDimension lanes = cut_dimension(array, extents, 0), rows = cut_dimension(array, extents, 1);
  const std::int64_t packed = std::max<std::int64_t>(1, 4 / std::max(1, hlo::byte_width(array.element_type)));
  const MatrixPieces matrix = matrix_pieces(lanes, rows, packed);
  TilePieces all{0, base::Bytes(matrix.words * hlo::tile_lanes * 4)};
  std::int64_t runs = 1, elements = 1;
  bool contiguous = true;
  for (int i = 2; i < array.rank(); ++i) {
    const CutDimension major = cut_dimension(array, extents, i);
    runs *= contiguous ? major.tiles() : major.size;
    elements *= major.size;
    contiguous = contiguous && major.whole();
  }
  all.count = matrix.pieces * elements + matrix.whole * runs;
  all.bytes = all.bytes * elements;
  return all;
}

}  // namespace podsim::validation::measured
