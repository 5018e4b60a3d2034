// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/trained_tensors.h"

namespace podsim::workloads {

/// What is between the two products of a feed-forward block. The gated ones (Shazeer 2020) multiply the activation of
/// one product with another: hidden = gelu(x w_in) * (x w_gate). gelu is the tanh form (Hendrycks, Gimpel 2016), silu
/// x * logistic(x).
enum class Activation { relu, gelu, geglu, swiglu };

bool is_gated(Activation activation);

/// The activation of `in`, times `gate` where it is gated; the result has the op_name "hidden" under the builder's
/// scope.
sw::InstructionId activated(sw::GraphBuilder& builder, Activation activation, sw::InstructionId in,
                            sw::InstructionId gate = -1);

struct FeedForwardOptions {
  std::int64_t hidden = 4096;
  Activation activation = Activation::gelu;
  bool biases = false;
};

/// x [batch, length, M] -> [batch, length, M]. Trains, with H = hidden, w_in [M, H], w_gate [M, H] where it is gated,
/// w_out [H, M] and, with biases, b_in [H] and b_out [M]. Values by op_name: "in" and "gate", the products, "hidden",
/// [batch, length, H], what w_out takes, and "out" [batch, length, M].
sw::InstructionId feed_forward(TrainedTensors& tensors, sw::InstructionId x, const FeedForwardOptions& options);

}  // namespace podsim::workloads
