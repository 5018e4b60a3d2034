// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "hlo/graph.h"

namespace podsim::sw::compiler::tiles {

/// An operand of a product in memory: its dimensions other than the lanes, and which loop of a tiling divides each.
struct StridedOperand {
  enum class Loop { batch, columns, contraction };
  struct Dimension {
    Loop loop = Loop::batch;
    std::int64_t extent = 1;
    auto operator<=>(const Dimension&) const = default;
  };

  std::vector<Dimension> dimensions;  ///< most major first; the last are the sublanes
  std::int64_t tile_rows = 1;         ///< sublanes of a layout tile

  struct Block {
    std::int64_t pieces = 1;  ///< contiguous in memory
    double padding = 1;       ///< bytes read over bytes of the block, since layout tiles are read whole
  };
  /// One block of an operand that is divided into so many along the loops.
  Block block(std::int64_t batch, std::int64_t columns, std::int64_t contraction) const;
  /// Products of a loop over the columns that are not in the lanes.
  std::int64_t column_products() const;

  auto operator<=>(const StridedOperand&) const = default;
};

/// An operand of which `batch` and `contracted` are the numbers of its batch and contracted dimensions; the others are
/// columns.
StridedOperand strided_operand(const hlo::Shape& operand, const std::vector<int>& batch,
                               const std::vector<int>& contracted);

}  // namespace podsim::sw::compiler::tiles
