// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

namespace podsim::workloads::layers {

/// Dropout (Srivastava et al. 2014): each element of x is zero with probability `rate` and otherwise x / (1 - rate), so
/// that its mean is x. The mask is drawn by `rng` once for forward and backward part and is under op_name "dropout". x
/// itself at a rate of 0. `rate` is in [0, 1).
hlo::InstructionId dropped(hlo::build::GraphBuilder& builder, hlo::InstructionId x, double rate);

/// The same for large arrays [..., columns]: the mask is kept as one bit an element, u32[..., columns / n] of n columns
/// each, n the largest power of two that divides 32 and columns. TPU v3's compiler keeps the masks of BERT's attention
/// as such bits (a fusion without operands whose result is u32[16,512,512] for bf16[32,16,512,512]), there for the
/// sequences of a core, which a program of all cores does not know.
hlo::InstructionId dropped_by_bits(hlo::build::GraphBuilder& builder, hlo::InstructionId x, double rate);

}  // namespace podsim::workloads::layers
