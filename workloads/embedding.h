// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/trained_tensors.h"

namespace podsim::workloads {

/// How rows are read from a table: by gather, whose gradient is a scatter that adds, or as the product of the table
/// with one-hot rows, as GSPMD partitions it where the table is cut along the vocabulary.
enum class EmbeddingLookup { gather, one_hot };

/// Rows of table [vocabulary, features], of any type -> [indices' dimensions, features] in the type of the
/// activations, op_name "lookup" under the builder's scope. `indices`: s32, each below the vocabulary.
sw::InstructionId embedded(TrainedTensors& tensors, sw::InstructionId table, sw::InstructionId indices,
                           EmbeddingLookup lookup);

/// 1 where the index is that of the last dimension, else 0: [indices' dimensions, count] of `type`.
sw::InstructionId one_hot(sw::GraphBuilder& builder, sw::InstructionId indices, std::int64_t count,
                          sw::ElementType type);

}  // namespace podsim::workloads
