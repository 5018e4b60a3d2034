// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/row_indexing.h"

#include <algorithm>

namespace podsim::hlo::rules {

std::optional<RowIndexing> row_indexing(const GatherDimensions& roles, const Shape& array, const Shape& indices,
                                        const Shape& rows) {
  if (!roles.operand_batching.empty() || roles.collapsed.size() != 1 ||
      std::ranges::find(roles.index_map, roles.collapsed[0]) == roles.index_map.end()) {
    return std::nullopt;
  }
  const int vectors = roles.index_vector < indices.rank() ? indices.rank() - 1 : indices.rank();
  if (vectors != 1 || rows.rank() != array.rank()) return std::nullopt;
  RowIndexing found{.dimension = roles.collapsed[0]};
  std::size_t next = 0;
  for (int i = 0; i < rows.rank(); ++i) {
    if (std::ranges::find(roles.offset, i) == roles.offset.end()) {
      found.batch_dimension = i;
      continue;
    }
    const int of_array = int(next) + (int(next) >= found.dimension ? 1 : 0);
    if (rows.dimensions[std::size_t(i)] != array.dimensions[std::size_t(of_array)]) return std::nullopt;
    ++next;
  }
  return found;
}

}  // namespace podsim::hlo::rules
