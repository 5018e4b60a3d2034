// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/trained_tensors.h"

namespace podsim::workloads::layers {

/// Rows of a table are read either by gather, whose gradient is a scatter that adds, or as the product of one-hot rows
/// with the table, the form that GSPMD partitions if the table is split along the vocabulary.
enum class EmbeddingLookup { gather, one_hot };

/// Rows of table [vocabulary, features] of any type -> [dimensions of indices, features] in the type of the
/// activations, with op_name "lookup" under the builder's scope. `indices` are s32, each below the vocabulary.
hlo::InstructionId embedded(TrainedTensors& tensors, hlo::InstructionId table, hlo::InstructionId indices,
                            EmbeddingLookup lookup);

/// [dimensions of indices, count] of `type`: 1 where the position along the last dimension is the index, else 0.
hlo::InstructionId one_hot(hlo::build::GraphBuilder& builder, hlo::InstructionId indices, std::int64_t count,
                           hlo::ElementType type);

}  // namespace podsim::workloads::layers
