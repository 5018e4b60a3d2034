// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "workloads/layers.h"
#include "workloads/model_options.h"
#include "workloads/training_step.h"

/// A deep multilayer perceptron in the pipeline of GPipe (Huang et al. 2019): its layers are divided into stages, each
/// on a separate core, and a batch into micro-batches that follow each other through the stages.
///
///   stage 0   F0 F1 F2 F3 .  .  .  B3 B2 B1 B0
///   stage 1   .  F0 F1 F2 F3 .  B3 B2 B1 B0 .       K = 2 stages of M = 4 micro-batches: M + K - 1 ticks forward,
///             tick 0 ...        tick 0 ...          the same number backward
///
/// If stages take the same time and transfers take none, every stage is idle for (K - 1) / (M + K - 1) of the step.
/// Transfers are asynchronous: while one is in flight, its stage computes the next micro-batch. In the program, stage s
/// therefore takes micro-batch m at tick m + 2 s of M + 2 (K - 1). A tick without a micro-batch takes no time, so that
/// a stage waits only for the data that it needs. Ticks of duration t and transfers of c < t give (M + K - 1) t + (K -
/// 1) c in each direction.
namespace podsim::workloads::pipelines {

/// The form of stages: branches that a core takes by its number, or a batch dimension that the partitioner splits
/// (vectorised_pipeline.h).
enum class PipelineForm { branches, vectorised };

struct PipelinedMlpOptions {
  PipelineForm form = PipelineForm::branches;
  std::int64_t stages = 4;         ///< K
  std::int64_t microbatches = 16;  ///< M
  std::int64_t microbatch = 256;   ///< samples in a micro-batch
  std::int64_t width = 4096;       ///< features of inputs, outputs and every layer
  std::int64_t layers = 16;        ///< at least one per stage; the first layers % stages stages have one more
  bool inference = false;          ///< only the forward pass of form branches
  bool rematerialise = true;       ///< keep only a stage's inputs and recompute its layers in the backward pass
  Precision precision;
  Optimizer optimizer = {.kind = OptimizerKind::sgd_momentum};
  std::int64_t pipelines = 1;  ///< parallel pipelines, each with a separate batch; their gradients are averaged
  hlo::ElementType gradient_type = hlo::ElementType::bf16;  ///< in which gradients are all-reduced over pipelines
};

/// The keys of the workload ("model.stages" etc.), bound to the fields of `options`.
ModelKeys pipelined_mlp_keys(PipelinedMlpOptions& options);

/// Number of layers of a stage.
std::int64_t layers_of_stage(const PipelinedMlpOptions& options, std::int64_t stage);
/// The idle share of a stage, (K - 1) / (M + K - 1).
double bubble_share(std::int64_t stages, std::int64_t microbatches);

/// One training step as the program of one core. Partition p is stage p % stages of pipeline p / stages and selects its
/// branches by partition-id. Ticks are unrolled, with collective-permutes from stage to stage between them. A layer is
/// relu(x w); the loss is the mean over batch and features of (output - target)^2.
///
/// Parameters of every core: layer<i>/kernel [width, width] of its stage's i-th layer, as many as the longest stage
/// has; the slot variables, kernel by kernel; learning_rate and, if steps are counted, step; inputs, which the first
/// stage reads, and targets, which the last stage reads, [microbatches, microbatch, width]. Results: new kernels, new
/// slot variables, and the loss (0 except in the last stage). Gradients accumulate in the parameters' type.
///
/// For inference, the parameters are the kernels and inputs, and the results the outputs of the micro-batches, which
/// are those of the network in the last stage.
///
/// Throws base::InputError if there are fewer layers than stages.
TrainingStep pipelined_mlp_step(const PipelinedMlpOptions& options);

}  // namespace podsim::workloads::pipelines
