// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

/// ROI align (He et al. 2017) as products: a bin's value is the mean of bilinear samples, which are weighted sums over
/// rows and over columns.
namespace podsim::workloads::layers {

/// Weights [batch, boxes, bins, size] of the pixels 0 to size - 1 along one dimension: span `low` to `high` [batch,
/// boxes], in units of pixels whose centres are at 0.5, 1.5 and so on, is divided into equal bins; a bin is the mean of
/// `samples` samples at equal distances, each interpolated linearly between two pixels and at the border taken from the
/// last one.
hlo::InstructionId interpolation_weights(hlo::build::GraphBuilder& builder, hlo::InstructionId low,
                                         hlo::InstructionId high, std::int64_t bins, std::int64_t samples,
                                         std::int64_t size);

/// [batch, boxes, bins, bins, channels] of a map [batch, height, width, channels], with weights of rows [batch, boxes,
/// bins, height] and of columns [batch, boxes, bins, width]: two products, over columns first.
hlo::InstructionId aligned(hlo::build::GraphBuilder& builder, hlo::InstructionId map, hlo::InstructionId of_rows,
                           hlo::InstructionId of_columns);

}  // namespace podsim::workloads::layers
