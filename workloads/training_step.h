// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/memory_account.h"
#include "workloads/layers.h"
#include "workloads/optimizer.h"

namespace podsim::workloads {

struct TrainingOptions {
  Optimizer optimizer;
  std::int64_t replicas = 1;                              ///< cores that share the batch
  sw::ElementType gradient_type = sw::ElementType::bf16;  ///< that the gradients are added up in over the cores
};

struct TrainingStep {
  sw::Module module;
  std::vector<sw::Donation> donations;  ///< every tensor and slot variable is replaced in place
};

/// Completes a forward graph to one data-parallel training step, the SPMD program of a core.
///
/// Every core differentiates the mean loss of its own batch. A gradient is converted to gradient_type and all-reduced,
/// one instruction per tensor; the sum is multiplied by 1/replicas after the conversion back to the parameter type,
/// where the factor is exact for any number of cores and fuses into the update. Tensors whose gradients are the same
/// sum (the shifts of two batch norms that are added) share one all-reduce.
///
/// Further parameters behind those that exist: the optimiser's slots tensor by tensor, "NAME/momentum", then
/// "learning_rate" and, where the optimiser counts steps, "step", both scalars. The result: new tensors, new slots,
/// this core's loss.
TrainingStep training_step(sw::GraphBuilder builder, const Loss& loss, const std::vector<TrainedTensor>& tensors,
                           const TrainingOptions& options);

/// Likewise of the whole machine's program, whose loss is that of the whole batch: no all-reduces. What has to be added
/// up over partitions follows from how the program is partitioned.
TrainingStep global_training_step(sw::GraphBuilder builder, const Loss& loss, const std::vector<TrainedTensor>& tensors,
                                  const Optimizer& optimizer);

}  // namespace podsim::workloads
