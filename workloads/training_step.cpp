// SPDX-License-Identifier: Apache-2.0
#include "workloads/training_step.h"

#include "hlo/transform/gradient.h"
#include "workloads/wide_gradients.h"

namespace podsim::workloads {

using hlo::InstructionId;

namespace {

InstructionId mean_over_replicas(hlo::build::GraphBuilder& b, InstructionId gradient, const TrainingOptions& options) {
  const InstructionId sum = b.all_reduce(b.convert(gradient, options.gradient_type));
  const InstructionId wide = b.convert(sum, b.type(gradient));
  return options.replicas == 1 ? wide : b.multiply(wide, b.full_like(wide, 1.0 / double(options.replicas)));
}

std::vector<InstructionId> all_reduced(hlo::build::GraphBuilder& b, const std::vector<TrainedTensor>& tensors,
                                       const std::vector<InstructionId>& gradients, const TrainingOptions& options) {
  std::vector<InstructionId> means;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const hlo::build::GraphBuilder::Scope scope(b, "all_reduce/" + tensors[i].name);
    means.push_back(mean_over_replicas(b, gradients[i], options));
  }
  return means;
}

/// The parameters of a step in addition to the tensors.
struct OptimizerState {
  std::vector<std::vector<InstructionId>> slots;  ///< slot variables by tensor
  StepScalars scalars;
};

OptimizerState optimizer_state(hlo::build::GraphBuilder& b, const Loss& loss, const std::vector<TrainedTensor>& tensors,
                               const Optimizer& optimizer) {
  OptimizerState state;
  for (const TrainedTensor& tensor : tensors) {
    const hlo::build::GraphBuilder::Scope scope(b, "optimizer/" + tensor.name);
    std::vector<InstructionId>& of_tensor = state.slots.emplace_back();
    for (Slot& slot : slots(optimizer, b.shape(tensor.value).dimensions)) {
      const hlo::Shape shape = hlo::make_shape(b.type(tensor.value), std::move(slot.sizes));
      of_tensor.push_back(b.parameter(shape, tensor.name + "/" + slot.name));
    }
  }
  const hlo::Shape scalar = hlo::make_shape(b.type(loss.value), {});
  state.scalars.learning_rate = b.parameter(scalar, "learning_rate");
  if (counts_steps(optimizer)) state.scalars.step = b.parameter(scalar, "step");
  return state;
}

/// A value that is stored before the next part of a batch begins, as the state of a loop over the parts would be.
InstructionId kept(hlo::build::GraphBuilder& b, InstructionId value) {
  hlo::Instruction barrier;
  barrier.opcode = hlo::Opcode::opt_barrier;
  barrier.operands = {value};
  return b.add(std::move(barrier));
}

/// The gradients of a loss, added to `sums` if there are any.
std::vector<InstructionId> gradients_of(hlo::build::GraphBuilder& b, const Loss& loss,
                                        const std::vector<TrainedTensor>& tensors,
                                        const std::vector<InstructionId>& sums = {}) {
  std::vector<InstructionId> values;
  for (const TrainedTensor& tensor : tensors) values.push_back(tensor.value);
  return hlo::transform::gradients(b, loss.value, values, loss.held, loss.given, sums);
}

TrainingStep updated(hlo::build::GraphBuilder b, const Loss& loss, const std::vector<TrainedTensor>& tensors,
                     std::vector<InstructionId> gradients, const OptimizerState& state, const Optimizer& optimizer) {
  std::vector<hlo::Donation> donations;
  if (optimizer.clip_norm > 0) {
    const hlo::build::GraphBuilder::Scope scope(b, "optimizer/clip");
    gradients = clipped(b, gradients, optimizer.clip_norm);
  }
  std::vector<InstructionId> outputs, new_slots, replaced, old_slots;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const hlo::build::GraphBuilder::Scope scope(b, "optimizer/" + tensors[i].name);
    const Update change = update(b, optimizer, tensors[i], gradients[i], state.slots[i], state.scalars);
    outputs.push_back(change.value);
    replaced.push_back(tensors[i].value);
    new_slots.insert(new_slots.end(), change.slots.begin(), change.slots.end());
    old_slots.insert(old_slots.end(), state.slots[i].begin(), state.slots[i].end());
  }
  outputs.insert(outputs.end(), new_slots.begin(), new_slots.end());
  replaced.insert(replaced.end(), old_slots.begin(), old_slots.end());
  for (std::size_t i = 0; i < outputs.size(); ++i) donations.push_back({std::int64_t(i), b[replaced[i]].index});
  outputs.push_back(loss.value);
  return step_of(std::move(b), std::move(outputs), std::move(donations), loss.predictions);
}

}  // namespace

TrainingStep step_of(hlo::build::GraphBuilder b, std::vector<InstructionId> outputs,
                     std::vector<hlo::Donation> donations, const std::vector<InstructionId>& predictions) {
  TrainingStep step;
  const std::size_t count = outputs.size();
  // The builder drops and renumbers instructions: predictions are followed as results.
  outputs.insert(outputs.end(), predictions.begin(), predictions.end());
  const InstructionId tuple = b.tuple(std::move(outputs));
  step.module = std::move(b).build(tuple);
  hlo::Computation& entry = step.module.computations[std::size_t(step.module.entry)];
  hlo::Instruction& root = entry[entry.root];
  step.predictions.assign(root.operands.begin() + std::ptrdiff_t(count), root.operands.end());
  root.operands.resize(count);
  root.shape.tuple_shapes.resize(count);
  step.donations = std::move(donations);
  return step;
}

TrainingStep forward_pass(hlo::build::GraphBuilder b, std::vector<InstructionId> results,
                          const std::vector<InstructionId>& tensors) {
  std::vector<std::int64_t> numbers;
  for (const InstructionId tensor : tensors) numbers.push_back(b[tensor].index);
  const InstructionId root = results.size() == 1 ? results.front() : b.tuple(std::move(results));
  return {std::move(b).build(root), {}, {}, std::move(numbers)};
}

TrainingStep training_step(hlo::build::GraphBuilder b, const Loss& loss, const std::vector<TrainedTensor>& tensors,
                           const TrainingOptions& options) {
  const auto forward = std::make_shared<const ForwardNetwork>(
      ForwardNetwork{b, loss, tensors, options.optimizer, options.gradient_type});
  const OptimizerState state = optimizer_state(b, loss, tensors, options.optimizer);
  const std::vector<InstructionId> means = all_reduced(b, tensors, gradients_of(b, loss, tensors), options);
  TrainingStep step = updated(std::move(b), loss, tensors, means, state, options.optimizer);
  step.forward = forward;
  return step;
}

TrainingStep global_training_step(hlo::build::GraphBuilder b, const Loss& loss,
                                  const std::vector<TrainedTensor>& tensors, const Optimizer& optimizer,
                                  hlo::ElementType gradient_type) {
  const auto forward =
      std::make_shared<const ForwardNetwork>(ForwardNetwork{b, loss, tensors, optimizer, gradient_type});
  const OptimizerState state = optimizer_state(b, loss, tensors, optimizer);
  const std::vector<InstructionId> gradients = wide_gradients(b, gradients_of(b, loss, tensors), gradient_type);
  TrainingStep step = updated(std::move(b), loss, tensors, gradients, state, optimizer);
  step.forward = forward;
  return step;
}

TrainingStep accumulated_training_step(hlo::build::GraphBuilder& b, std::int64_t parts,
                                       const std::function<Loss(std::int64_t part)>& loss,
                                       const std::vector<TrainedTensor>& tensors, const Optimizer& optimizer,
                                       hlo::ElementType gradient_type) {
  Loss mean = loss(0);
  std::shared_ptr<const ForwardNetwork> forward;
  if (parts == 1)
    forward = std::make_shared<const ForwardNetwork>(ForwardNetwork{b, mean, tensors, optimizer, gradient_type});
  const OptimizerState state = optimizer_state(b, mean, tensors, optimizer);
  std::vector<InstructionId> sums = wide_gradients(b, gradients_of(b, mean, tensors), gradient_type);
  for (std::int64_t part = 1; part < parts; ++part) {
    const Loss next = loss(part);
    mean.predictions.insert(mean.predictions.end(), next.predictions.begin(), next.predictions.end());
    sums = wide_gradients(b, gradients_of(b, next, tensors, sums), gradient_type);
    const hlo::build::GraphBuilder::Scope scope(b, "accumulated");
    for (InstructionId& sum : sums) sum = kept(b, sum);
    mean.value = b.add(mean.value, next.value);
  }
  if (parts > 1) {
    const hlo::build::GraphBuilder::Scope scope(b, "accumulated");
    const auto share = [&](InstructionId sum) { return b.multiply(sum, b.full_like(sum, 1.0 / double(parts))); };
    mean.value = share(mean.value);
    for (InstructionId& sum : sums) sum = share(sum);
  }
  TrainingStep step = updated(std::move(b), mean, tensors, sums, state, optimizer);
  step.forward = forward;
  return step;
}

}  // namespace podsim::workloads
