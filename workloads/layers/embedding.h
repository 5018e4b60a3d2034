// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/trained_tensors.h"

namespace podsim::workloads::layers {

/// Rows of a table are read either by gather, whose gradient is a scatter that adds, or as the product of one-hot rows
/// with the table, the form that GSPMD partitions if the table is split along the vocabulary.
enum class EmbeddingLookup { gather, one_hot };

/// Rows of table [vocabulary, features] of any type -> [dimensions of indices, features] in the type of the
/// activations, with op_name "lookup" under the builder's scope. `indices` are s32, each below the vocabulary.
sw::ir::InstructionId embedded(TrainedTensors& tensors, sw::ir::InstructionId table, sw::ir::InstructionId indices,
                               EmbeddingLookup lookup);

/// [dimensions of indices, count] of `type`: 1 where the position along the last dimension is the index, else 0.
sw::ir::InstructionId one_hot(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId indices, std::int64_t count,
                              sw::ir::ElementType type);

}  // namespace podsim::workloads::layers
