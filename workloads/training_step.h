// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "hlo/graph.h"
#include "workloads/layers.h"
#include "workloads/optimizer.h"

/// Completes forward graphs of networks to the program of a step: gradients, their all-reduces, and the updates of the
/// optimiser.
namespace podsim::workloads {

struct TrainingOptions {
  Optimizer optimizer;
  std::int64_t replicas = 1;                                ///< cores that share the batch
  hlo::ElementType gradient_type = hlo::ElementType::bf16;  ///< in which gradients are all-reduced
};

/// A network with its loss before it is trained, for programs that train it in another way (pipelines/).
struct ForwardNetwork {
  hlo::build::GraphBuilder graph;
  Loss loss;
  std::vector<TrainedTensor> tensors;
  Optimizer optimizer;
  hlo::ElementType gradient_type = hlo::ElementType::bf16;  ///< in which gradients are all-reduced
};

struct TrainingStep {
  hlo::Module module;
  std::vector<hlo::Donation> donations;  ///< for every tensor and slot variable, which are replaced in place
  /// Values of the entry that inference is for (Loss::predictions). Empty if the module is a forward pass already, or
  /// if nothing tells them from the rest of a user's program.
  std::vector<hlo::InstructionId> predictions = {};
  std::vector<std::int64_t> frozen = {};  ///< numbers of the network's parameters that are not trained
  /// The network that the step trains; null for a forward pass, or if the step divides the batch itself.
  std::shared_ptr<const ForwardNetwork> forward = nullptr;
};

/// The forward pass of a network, whose results are given: `tensors` are its parameters.
TrainingStep forward_pass(hlo::build::GraphBuilder builder, std::vector<hlo::InstructionId> results,
                          const std::vector<hlo::InstructionId>& tensors);

/// The module with the results `outputs`, and the predictions of the step in it. Call once, with the step's donations.
TrainingStep step_of(hlo::build::GraphBuilder builder, std::vector<hlo::InstructionId> outputs,
                     std::vector<hlo::Donation> donations, const std::vector<hlo::InstructionId>& predictions);

/// Completes a forward graph to a data-parallel training step, the SPMD program of a core.
///
/// Every core differentiates the mean loss of its batch. A gradient is converted to gradient_type and all-reduced, one
/// instruction per tensor. The sum is multiplied by 1/replicas after it is converted back to the parameter type, where
/// the factor is exact for any number of cores and fuses into the update. Tensors whose gradients are the same sum (the
/// shifts of two batch norms that are added) share one all-reduce.
///
/// Adds parameters after those that exist: the slot variables tensor by tensor ("NAME/momentum"), then the scalars
/// "learning_rate" and, if the optimiser counts steps, "step". The results are the new tensors, the new slot variables
/// and this core's loss.
TrainingStep training_step(hlo::build::GraphBuilder builder, const Loss& loss,
                           const std::vector<TrainedTensor>& tensors, const TrainingOptions& options);

/// As above, for the program of the whole machine, whose loss is that of the whole batch. It has no all-reduces: the
/// sums over partitions follow from how the program is partitioned, and are in gradient_type where products would
/// give them in a narrower one (wide_gradients.h).
TrainingStep global_training_step(hlo::build::GraphBuilder builder, const Loss& loss,
                                  const std::vector<TrainedTensor>& tensors, const Optimizer& optimizer,
                                  hlo::ElementType gradient_type = hlo::ElementType::bf16);

/// As above, with the gradients of `parts` equal parts of the batch computed one after another and added up, so that
/// the activations of one part are live at a time and the sums are stored after each part. `loss(k)` appends the loss
/// of part k; the first call adds the tensors to `tensors`. The loss of the step is the mean.
TrainingStep accumulated_training_step(hlo::build::GraphBuilder& builder, std::int64_t parts,
                                       const std::function<Loss(std::int64_t part)>& loss,
                                       const std::vector<TrainedTensor>& tensors, const Optimizer& optimizer,
                                       hlo::ElementType gradient_type = hlo::ElementType::bf16);

}  // namespace podsim::workloads
