// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/trained_tensors.h"

namespace podsim::workloads::layers {

enum class NormKind { layer_norm, rms_norm };

/// Normalizes x [..., features] over the features, whose variance is the mean of squares less the squared mean, so that
/// both statistics are sums of one pass. Computes in the type of the parameters and returns the type of x.
/// Trains scale [features] and, for layer_norm, bias [features] under the builder's scope.
///   layer_norm (Ba, Kiros, Hinton 2016):  (x - mean) / sqrt(variance + 1e-6) * scale + bias
///   rms_norm (Zhang, Sennrich 2019):      x / sqrt(mean of x^2 + 1e-6) * scale
hlo::InstructionId normalized(TrainedTensors& tensors, hlo::InstructionId x, NormKind kind);

}  // namespace podsim::workloads::layers
