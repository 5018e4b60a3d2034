// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/pipeline/chunk_functions.h"
#include "hlo/pipeline/schedule.h"
#include "workloads/training_step.h"

/// A training step of any network as a pipeline: the SPMD program of stages that compute the tasks of a schedule.
namespace podsim::workloads::pipelines {

struct PipelineOptions {
  hlo::pipeline::Schedule schedule;  ///< without a fault
  hlo::pipeline::Kept kept = hlo::pipeline::Kept::activations;
  std::int64_t pipelines = 1;  ///< parallel pipelines, each with a separate batch; their gradients are averaged
};

struct PipelineStep {
  TrainingStep step;
  /// By stage, by tensor of the network: the number of the entry parameter that holds it, -1 if the stage has it not.
  std::vector<std::vector<std::int64_t>> parameter_of;
};

/// The step of a network whose graph is that of one micro-batch, divided into the chunks of the schedule.
///
/// Partition p is stage p % K of pipeline p / K. Every task is a conditional that one stage executes, and values go
/// from stage to stage by asynchronous collective-permutes, which are completed before the task that needs them; an
/// array that the other stages do not have is an AllocateBuffer there. Activations that are not kept are computed again
/// by the backward computation, or before it where a stage would wait for gradients. Gradients of the micro-batches are
/// added up in the types of the weights. Those of a weight that several stages use are added up over these stages (and
/// pipelines) in `gradient_type`, the others over pipelines, each by an all-reduce before the update. The loss is the
/// mean over micro-batches; with one sample or another batch size in a micro-batch, the step is that of the whole batch
/// if the loss is a mean over samples that do not depend on each other.
///
/// Entry parameters: weights, one for every tensor of the stage that has most tensors of a shape, so that stages hold
/// different tensors in it ("weights/f32[64,64]/0"); slot variables of each; learning_rate and, if steps are counted,
/// step; then the network's inputs, micro-batch by micro-batch ("tokens/0"), on all stages. Results: new weights, new
/// slot variables, and the loss (0 except in the last chunk's stage).
///
/// If gradients are clipped by the norm of all of them, stages add up the squares of their own by an all-reduce.
///
/// Throws InputError if the network cannot be divided (hlo/pipeline/chunk_functions.h), and hlo::transform::NoGradient.
PipelineStep pipeline_step(const ForwardNetwork& network, const hlo::pipeline::Division& division,
                           const PipelineOptions& options);

/// The network as hlo/pipeline divides it. Refers to `network`.
hlo::pipeline::Network divisible(const ForwardNetwork& network);

}  // namespace podsim::workloads::pipelines
