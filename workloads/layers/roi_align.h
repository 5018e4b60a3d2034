// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/build/graph_builder.h"

/// ROI align (He et al. 2017) as products: a bin's value is the mean of bilinear samples, which are weighted sums over
/// rows and over columns.
namespace podsim::workloads::layers {

/// Weights [batch, boxes, bins, size] of the places 0 to size - 1 along one dimension: span `low` to `high` [batch,
/// boxes], in units of places whose middles are at 0.5, 1.5 and so on, is divided into equal bins; a bin is the mean of
/// `samples` samples at equal distances, each interpolated linearly between two places and at the border taken from the
/// last one.
sw::ir::InstructionId interpolation_weights(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId low,
                                            sw::ir::InstructionId high, std::int64_t bins, std::int64_t samples,
                                            std::int64_t size);

/// [batch, boxes, bins, bins, channels] of a map [batch, height, width, channels], with weights of rows [batch, boxes,
/// bins, height] and of columns [batch, boxes, bins, width]: two products, over columns first.
sw::ir::InstructionId aligned(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId map,
                              sw::ir::InstructionId of_rows, sw::ir::InstructionId of_columns);

}  // namespace podsim::workloads::layers
