// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/trained_tensors.h"

namespace podsim::workloads::layers {

/// The function between the two products of a feed-forward block. The gated ones (Shazeer 2020) multiply the activation
/// of one product by another product: hidden = gelu(x w_in) * (x w_gate) for geglu, silu instead of gelu for swiglu.
/// gelu is the tanh form (Hendrycks, Gimpel 2016); silu(x) = x * logistic(x).
enum class Activation { relu, gelu, geglu, swiglu };

bool is_gated(Activation activation);

/// The activation of `in`, multiplied by `gate` if it is gated. The result has the op_name "hidden" under the builder's
/// scope.
hlo::InstructionId activated(hlo::build::GraphBuilder& builder, Activation activation, hlo::InstructionId in,
                             hlo::InstructionId gate = -1);

struct FeedForwardOptions {
  std::int64_t hidden = 4096;
  Activation activation = Activation::gelu;
  bool biases = false;
  double dropout = 0;  ///< rate at which hidden values are dropped (dropout.h)
};

/// x [batch, length, M] -> [batch, length, M]. With H = hidden, it trains w_in [M, H], w_gate [M, H] if gated, w_out
/// [H, M] and, with biases, b_in [H] and b_out [M]. Values by op_name: the products "in" and "gate", the operand of
/// w_out "hidden" [batch, length, H], and "out" [batch, length, M].
hlo::InstructionId feed_forward(TrainedTensors& tensors, hlo::InstructionId x, const FeedForwardOptions& options);

}  // namespace podsim::workloads::layers
