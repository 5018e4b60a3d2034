// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/trained_tensors.h"

namespace podsim::workloads {

enum class NormKind { layer_norm, rms_norm };

/// Of [..., features] over the features, in the type of the parameters, result in the type of x; trains scale and, for
/// layer_norm, bias, of [features], under the builder's scope.
///   layer_norm (Ba, Kiros, Hinton 2016):  (x - mean) / sqrt(variance + 1e-6) * scale + bias
///   rms_norm (Zhang, Sennrich 2019):      x / sqrt(mean of x^2 + 1e-6) * scale
sw::InstructionId normalized(TrainedTensors& tensors, sw::InstructionId x, NormKind kind);

}  // namespace podsim::workloads
