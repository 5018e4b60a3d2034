// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "workloads/layers.h"
#include "workloads/model_options.h"
#include "workloads/training_step.h"

/// A deep multilayer perceptron in the pipeline of GPipe (Huang et al. 2019): its layers are cut into stages, each on a
/// core of its own, and a batch into micro-batches that follow each other through the stages.
///
///   stage 0   F0 F1 F2 F3 .  .  .  B3 B2 B1 B0
///   stage 1   .  F0 F1 F2 F3 .  B3 B2 B1 B0 .       K = 2 stages of M = 4 micro-batches: M + K - 1 ticks forward,
///             tick 0 ...        tick 0 ...          as many back
///
/// With stages that take equally long and transfers that take no time, every one of them is idle for
/// (K - 1) / (M + K - 1) of the step. Transfers are asynchronous: while one is under way its stage computes the next
/// micro-batch. In the program stage s therefore takes micro-batch m at step m + 2 s of M + 2 (K - 1); a stage passes
/// those without a micro-batch in no time, so that it waits for what it needs and for nothing else. Ticks of t and
/// transfers of c < t give (M + K - 1) t + (K - 1) c each way.
namespace podsim::workloads {

/// Who makes the stages: a program that tells by its core's number which one it is, or a partitioner that cuts a batch
/// dimension of stages (vectorised_pipeline.h).
enum class PipelineForm { branches, vectorised };

struct PipelinedMlpOptions {
  PipelineForm form = PipelineForm::branches;
  std::int64_t stages = 4;         ///< K
  std::int64_t microbatches = 16;  ///< M
  std::int64_t microbatch = 256;   ///< samples in each
  std::int64_t width = 4096;       ///< features of inputs, outputs and every layer
  std::int64_t layers = 16;        ///< at least one per stage; the first layers % stages stages have one more
  bool rematerialise = true;       ///< keep a stage's inputs alone and recompute its layers on the way back
  Precision precision;
  Optimizer optimizer = {.kind = OptimizerKind::sgd_momentum};
  std::int64_t pipelines = 1;  ///< side by side, each with a batch of its own; their gradients are averaged
  sw::ElementType gradient_type = sw::ElementType::bf16;  ///< that gradients are added up in over the pipelines
};

/// "model.stages" and the like, bound to the fields of `options`.
ModelKeys pipelined_mlp_keys(PipelinedMlpOptions& options);

/// Layers of a stage.
std::int64_t layers_of_stage(const PipelinedMlpOptions& options, std::int64_t stage);
/// (K - 1) / (M + K - 1)
double bubble_share(std::int64_t stages, std::int64_t microbatches);

/// One training step as the program of one core: partition p is stage p % stages of pipeline p / stages, and finds out
/// by partition-id what it does; ticks are written out one after the other, with collective-permutes from stage to
/// stage between them. A layer is relu(x w); the loss the mean over the batch and features of (output - target)^2.
///
/// Parameters of every core: layer<i>/kernel [width, width] of its stage's i-th layer, as many as the longest stage
/// has; the optimiser's slots, kernel by kernel; learning_rate and, where it is counted, step; inputs and targets
/// [microbatches, microbatch, width], of which the first stage reads the former and the last stage the latter. Results:
/// new kernels, new slots, the loss (of the last stage; elsewhere 0). Gradients are kept in the parameters' type.
///
/// Throws base::InputError where there are fewer layers than stages.
TrainingStep pipelined_mlp_step(const PipelinedMlpOptions& options);

}  // namespace podsim::workloads
