// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/layers.h"

namespace podsim::workloads::layers {

/// Mean over all rows of the cross-entropy of softmax(logits[..., classes]) against labels s32[...], computed in
/// `type`: log sum exp(logits) - logit of the label. With smoothing s, the target is 1 - s for the label, plus
/// s / classes for every class. The gradient recomputes the exponentials from the unconverted
/// logits and one number for each row, so that no array of the logits' size is kept in `type`. This is for large
/// vocabularies.
Loss cross_entropy(hlo::build::GraphBuilder& builder, hlo::InstructionId logits, hlo::InstructionId labels,
                   hlo::ElementType type, double smoothing = 0);

}  // namespace podsim::workloads::layers
