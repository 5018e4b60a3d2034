// SPDX-License-Identifier: Apache-2.0
#include "workloads/training_step.h"

#include "sw/graph/gradient.h"

namespace podsim::workloads {

using sw::GraphBuilder;
using sw::InstructionId;

namespace {

InstructionId mean_over_replicas(GraphBuilder& b, InstructionId gradient, const TrainingOptions& options) {
  const InstructionId sum = b.all_reduce(b.convert(gradient, options.gradient_type));
  const InstructionId wide = b.convert(sum, b.type(gradient));
  return options.replicas == 1 ? wide : b.multiply(wide, b.full_like(wide, 1.0 / double(options.replicas)));
}

std::vector<InstructionId> all_reduced(GraphBuilder& b, const std::vector<TrainedTensor>& tensors,
                                       const std::vector<InstructionId>& gradients, const TrainingOptions& options) {
  std::vector<InstructionId> means;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const GraphBuilder::Scope scope(b, "all_reduce/" + tensors[i].name);
    means.push_back(mean_over_replicas(b, gradients[i], options));
  }
  return means;
}

std::vector<InstructionId> momenta_of(GraphBuilder& b, const std::vector<TrainedTensor>& tensors) {
  std::vector<InstructionId> momenta;
  for (const TrainedTensor& tensor : tensors) {
    momenta.push_back(b.parameter(b.shape(tensor.value), tensor.name + "/momentum"));
  }
  return momenta;
}

}  // namespace

TrainingStep training_step(GraphBuilder b, const Loss& loss, const std::vector<TrainedTensor>& tensors,
                           const TrainingOptions& options) {
  const std::vector<InstructionId> momenta = momenta_of(b, tensors);
  const InstructionId learning_rate = b.parameter(sw::make_shape(b.type(loss.value), {}), "learning_rate");
  std::vector<InstructionId> values;
  for (const TrainedTensor& tensor : tensors) values.push_back(tensor.value);
  const std::vector<InstructionId> means =
      all_reduced(b, tensors, sw::gradients(b, loss.value, values, loss.held), options);

  TrainingStep step;
  std::vector<InstructionId> outputs(2 * tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const GraphBuilder::Scope scope(b, "optimizer/" + tensors[i].name);
    const Update updated = update(b, options.optimizer, tensors[i], means[i], momenta[i], learning_rate);
    outputs[i] = updated.value;
    outputs[tensors.size() + i] = updated.momentum;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const InstructionId replaced = i < tensors.size() ? values[i] : momenta[i - tensors.size()];
    step.donations.push_back({std::int64_t(i), b[replaced].index});
  }
  outputs.push_back(loss.value);
  const InstructionId root = b.tuple(std::move(outputs));
  step.module = std::move(b).build(root);
  return step;
}

}  // namespace podsim::workloads
