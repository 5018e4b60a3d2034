// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/perceptron.h"

#include <fmt/format.h>

namespace podsim::workloads::models {

using hlo::InstructionId;

namespace {

/// The keys of the workload, bound to the fields of `o`.
ModelKeys perceptron_keys(PerceptronOptions& o) {
  constexpr std::int64_t most = 1 << 20;
  ModelKeys keys;
  keys.add("model.layers", o.layers, 1, 1024, "hidden layers");
  keys.add("model.nodes", o.nodes, 1, most, "width of a hidden layer");
  keys.add("model.inputs", o.inputs, 1, most, "numbers of a sample");
  keys.add("model.outputs", o.outputs, 2, most, "classes to tell apart");
  return keys;
}

Workload build_perceptron(const WorkloadOptions& options) {
  PerceptronOptions network;
  perceptron_keys(network).apply("perceptron", options.model);
  network.batch = options.batch_per_core.value_or(network.batch);
  network.training.replicas = options.replicas;
  network.training.optimizer.kind = options.optimizer.value_or(network.training.optimizer.kind);
  Workload workload;
  workload.name = "perceptron";
  workload.samples = network.batch * options.replicas;
  if (!options.inference) workload.model_flops = perceptron_flops(network) * double(options.replicas);
  workload.step = perceptron_training_step(network);
  return workload;
}

}  // namespace

TrainingStep perceptron_training_step(const PerceptronOptions& options) {
  const hlo::ElementType type = options.precision.activation;
  hlo::build::GraphBuilder b("perceptron_training_step");
  InstructionId x = b.parameter(hlo::make_shape(type, {options.batch, options.inputs}), "inputs");
  const InstructionId labels = b.parameter(hlo::make_shape(hlo::ElementType::s32, {options.batch}), "labels");
  Layers layers(b, options.precision);
  for (std::int64_t layer = 0; layer < options.layers; ++layer) {
    const hlo::build::GraphBuilder::Scope scope(b, fmt::format("layer{}", layer));
    x = layers.relu(b.convert(layers.dense(x, options.nodes), type));
  }
  const InstructionId logits = [&] {
    const hlo::build::GraphBuilder::Scope scope(b, "logits");
    return layers.dense(x, options.outputs);
  }();
  const Loss loss = softmax_cross_entropy(b, logits, labels, 0);
  return training_step(std::move(b), loss, layers.trained(), options.training);
}

double perceptron_flops(const PerceptronOptions& o) {
  const double first = double(o.inputs) * double(o.nodes);
  const double others = double(o.layers - 1) * double(o.nodes) * double(o.nodes) + double(o.nodes) * double(o.outputs);
  return double(o.batch) * (4 * first + 6 * others);
}

WorkloadEntry perceptron_entry() {
  PerceptronOptions defaults;
  return {"perceptron", "Fully connected network as in ParaDnn, 8 layers of 2048, a training step, data parallel",
          perceptron_keys(defaults).list(), build_perceptron,
          "RMSProp, with which ParaDnn trained: another optimizer updates the weights"};
}

}  // namespace podsim::workloads::models
