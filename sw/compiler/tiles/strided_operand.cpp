// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/strided_operand.h"

#include <algorithm>
#include <array>

#include "base/units.h"

namespace podsim::sw::compiler::tiles {

StridedOperand::Block StridedOperand::block(std::int64_t batch, std::int64_t columns, std::int64_t contraction) const {
  std::array<std::int64_t, 3> parts{batch, columns, contraction};
  std::vector<std::int64_t> extents;
  for (const Dimension& dimension : dimensions) {
    std::int64_t& left = parts[std::size_t(dimension.loop)];
    const std::int64_t taken = std::min(left, dimension.extent);
    extents.push_back(base::divide_round_up(dimension.extent, taken));
    left = base::divide_round_up(left, taken);
  }
  Block block;
  if (dimensions.empty()) return block;
  // Layout tiles are read whole. The bytes of the whole operand have its padding.
  const std::int64_t sublanes = dimensions.back().extent;
  const std::int64_t padded = base::round_up(sublanes, tile_rows);
  const std::int64_t read = std::min(padded, base::round_up(extents.back(), tile_rows));
  block.padding = double(read) * double(sublanes) / double(extents.back() * padded);
  bool whole = read == padded;
  for (std::size_t i = dimensions.size() - 1; i-- > 0;) {
    if (!whole) block.pieces *= extents[i];
    whole = whole && extents[i] == dimensions[i].extent;
  }
  return block;
}

std::int64_t StridedOperand::column_products() const {
  std::int64_t products = 1;
  for (const Dimension& dimension : dimensions) {
    if (dimension.loop == Loop::columns) products *= dimension.extent;
  }
  return products;
}

StridedOperand strided_operand(const hlo::Shape& operand, const std::vector<int>& batch,
                               const std::vector<int>& contracted) {
  StridedOperand strided;
  for (int i = operand.rank() - 1; i > 0; --i) {
    const int d = operand.minor_dimension(i);
    const auto is_in = [d](const std::vector<int>& dimensions) {
      return std::ranges::find(dimensions, d) != dimensions.end();
    };
    strided.dimensions.push_back({is_in(batch)        ? StridedOperand::Loop::batch
                                  : is_in(contracted) ? StridedOperand::Loop::contraction
                                                      : StridedOperand::Loop::columns,
                                  operand.dimensions[std::size_t(d)]});
  }
  if (operand.rank() > 1) strided.tile_rows = hlo::tile_rows(operand);
  return strided;
}

}  // namespace podsim::sw::compiler::tiles
