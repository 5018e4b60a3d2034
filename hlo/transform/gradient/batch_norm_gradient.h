// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

/// The gradients of batch norms: of their definitions (hlo/rules/batch_norm.h), written out.
namespace podsim::hlo::transform::gradient::of {

Rule batch_norm_training, batch_norm_inference, batch_norm_grad;

}  // namespace podsim::hlo::transform::gradient::of
