// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/layers.h"

namespace podsim::workloads {

/// Mean over all rows of the cross-entropy of softmax(logits[..., classes]) against labels s32[...], computed in
/// `type`: log sum exp(logits) - logit of the label. On the way back the exponentials are taken once more, out of the
/// logits as they are and one number for each row, so that nothing as large as wide logits is kept: where a vocabulary
/// is large.
Loss cross_entropy(sw::GraphBuilder& builder, sw::InstructionId logits, sw::InstructionId labels, sw::ElementType type);

}  // namespace podsim::workloads
