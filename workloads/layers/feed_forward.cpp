// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/feed_forward.h"

#include <cmath>
#include <numbers>
#include <string>

#include "hlo/transform/relu.h"
#include "workloads/layers/dropout.h"

namespace podsim::workloads::layers {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

namespace {

InstructionId product(TrainedTensors& tensors, std::string_view name, InstructionId x, std::string_view weight,
                      std::int64_t features) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const InstructionId w = tensors.weight(weight, {b.shape(x).dimensions[2], features});
  const hlo::build::GraphBuilder::Scope scope(b, name);
  return b.dot(x, w, {{}, {}, {2}, {0}});
}

InstructionId biased(TrainedTensors& tensors, InstructionId x, std::string_view name) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const InstructionId bias = tensors.vector(name, {sizes[2]});
  return b.add(x, b.broadcast(b.convert(bias, b.type(x)), sizes, {2}));
}

/// The factor by which gelu and silu multiply their argument.
InstructionId smooth_step(hlo::build::GraphBuilder& b, Activation activation, InstructionId x) {
  if (activation == Activation::swiglu) return b.unary(hlo::Opcode::logistic, x);
  const auto constant = [&](double value) { return b.full_like(x, value); };
  const InstructionId cube = b.multiply(x, b.multiply(x, x));
  const InstructionId inner = b.add(x, b.multiply(constant(0.044715), cube));
  const InstructionId bend = b.tanh(b.multiply(constant(std::sqrt(2 / std::numbers::pi)), inner));
  return b.multiply(constant(0.5), b.add(constant(1), bend));
}

}  // namespace

bool is_gated(Activation activation) { return activation == Activation::geglu || activation == Activation::swiglu; }

InstructionId activated(hlo::build::GraphBuilder& b, Activation activation, InstructionId in, InstructionId gate) {
  if (activation == Activation::relu) {
    b.full_like(in, 0);  // which is not a part of "hidden"
    const hlo::build::GraphBuilder::Scope result(b, "hidden");
    return hlo::transform::relu(b, in);
  }
  const InstructionId step = smooth_step(b, activation, in);
  const InstructionId scaled = is_gated(activation) ? b.multiply(gate, step) : step;
  const hlo::build::GraphBuilder::Scope result(b, "hidden");
  return b.multiply(in, scaled);
}

InstructionId feed_forward(TrainedTensors& tensors, InstructionId x, const FeedForwardOptions& options) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const std::int64_t model = b.shape(x).dimensions[2];
  InstructionId in = product(tensors, "in", x, "w_in", options.hidden);
  if (options.biases) in = biased(tensors, in, "b_in");
  const InstructionId gate = is_gated(options.activation) ? product(tensors, "gate", x, "w_gate", options.hidden) : -1;
  const InstructionId hidden = dropped(b, activated(b, options.activation, in, gate), options.dropout);
  const InstructionId out = product(tensors, "out", hidden, "w_out", model);
  return options.biases ? biased(tensors, out, "b_out") : out;
}

}  // namespace podsim::workloads::layers
