// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"

namespace podsim::hlo::rules {

/// How rows of an array are indexed, if it is along one dimension of it and by one dimension of indices, and if the
/// others are whole. Indices of whole dimensions are 0, or clamped to it, or drop a row of updates.
struct RowIndexing {
  int dimension = 0;        ///< of the array
  int batch_dimension = 0;  ///< of the rows: the number of a row
};

/// `rows` is the result of a gather, or the updates of a scatter.
std::optional<RowIndexing> row_indexing(const GatherDimensions& roles, const Shape& array, const Shape& indices,
                                        const Shape& rows);

}  // namespace podsim::hlo::rules
