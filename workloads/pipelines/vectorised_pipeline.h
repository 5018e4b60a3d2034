// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/pipelines/pipelined_mlp.h"

/// The pipelined MLP as GSPMD writes pipelines (Xu et al. 2021, 3.3): one program of the whole machine in which the
/// stages are a batch dimension. At every tick the state [stages, microbatch, width] shifts by one stage, a micro-batch
/// enters the first stage, and each layer of all stages is one dot with the stage as its batch dimension. If it is
/// split along the stages, the shift becomes a collective-permute from stage to stage. Stages without a micro-batch
/// compute anyway.
namespace podsim::workloads::pipelines {

/// The forward pass as a loop of microbatches + stages - 1 trips. Parameters: layer<i>/kernel [stages, width, width] of
/// every stage's i-th layer, inputs [microbatches, microbatch, width]. Result: the outputs, in the inputs' shape.
/// Throws base::InputError if the number of layers is not a multiple of the number of stages.
hlo::Module vectorised_pipeline_forward(const PipelinedMlpOptions& options);

/// A training step of the network of pipelined_mlp_step with unrolled ticks, for all pipelines; their samples are along
/// the second dimension. Parameters: kernels as above, inputs and targets [microbatches, pipelines * microbatch,
/// width]; other parameters and the results are those of global_training_step().
TrainingStep vectorised_pipeline_step(const PipelinedMlpOptions& options);

/// The sharding file for it: stages are split over the axis "stage" and, if there are several pipelines, samples over
/// "pipeline".
std::string vectorised_pipeline_sharding(const PipelinedMlpOptions& options);

}  // namespace podsim::workloads::pipelines
