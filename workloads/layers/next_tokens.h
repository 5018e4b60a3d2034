// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/build/graph_builder.h"

namespace podsim::workloads::layers {

/// The index of the highest number of each row of x [..., numbers], the first of equal ones: s32[...].
hlo::InstructionId most_probable(hlo::build::GraphBuilder& builder, hlo::InstructionId x);

/// Tokens that are drawn from: the `count` most probable ones (Fan et al. 2018) or, if count is 0, as few of them as
/// have more than the share `probability` of all probability (Holtzman et al. 2020).
struct DrawnFrom {
  std::int64_t count = 0;
  double probability = 1;
};

/// A token for each row of logits [rows, V], drawn with the probabilities of those that `from` says: s32[rows]. Numbers
/// `uniform` [rows] are from 0 to below 1: the token is the first one, from the most probable on, with which the sum of
/// the probabilities exceeds that share of the whole. Rows are sorted; sums are products with triangles of ones.
hlo::InstructionId drawn_tokens(hlo::build::GraphBuilder& builder, hlo::InstructionId logits,
                                hlo::InstructionId uniform, const DrawnFrom& from);

/// The best continuations of W hypotheses for each of B sequences (Sutskever et al. 2014). A score is the sum of the
/// logarithms of the probabilities of a hypothesis' tokens.
struct Continuations {
  hlo::InstructionId tokens = -1;   ///< s32[B, W]
  hlo::InstructionId parents = -1;  ///< s32[B, W], op_name "parents": the hypothesis that each one continues
  hlo::InstructionId scores = -1;   ///< [B, W], the highest first
};

/// Continues hypotheses with `scores` [B, W] by tokens with `logits` [B W, V]: of all W V continuations of a sequence,
/// the W with the highest scores.
Continuations best_continuations(hlo::build::GraphBuilder& builder, hlo::InstructionId logits,
                                 hlo::InstructionId scores);

/// Rows of x [B, W, ...] in the order of `parents` s32[B, W].
hlo::InstructionId of_parents(hlo::build::GraphBuilder& builder, hlo::InstructionId x, hlo::InstructionId parents);

}  // namespace podsim::workloads::layers
