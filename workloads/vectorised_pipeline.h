// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/pipelined_mlp.h"

/// The pipelined MLP as GSPMD writes pipelines (Xu et al. 2021, 3.3): one program of the whole machine in which all
/// stages work at once, as a batch dimension. At every tick the state [stages, microbatch, width] moves on by a stage,
/// a micro-batch enters at the first, and every layer of all stages is one dot with the stage as its batch dimension.
/// Cut along the stages, the shift is a collective-permute from stage to stage. Stages without a micro-batch compute
/// all the same.
namespace podsim::workloads {

/// The way forward as a loop of microbatches + stages - 1 trips. Parameters: layer<i>/kernel [stages, width, width] of
/// every stage's i-th layer, inputs [microbatches, microbatch, width]. Result: the outputs, in the inputs' shape.
/// Throws base::InputError where the layers do not divide among the stages.
sw::Module vectorised_pipeline_forward(const PipelinedMlpOptions& options);

/// A training step of the network of pipelined_mlp_step with ticks written out, for all pipelines: their samples are
/// along the second dimension. Parameters: kernels as above, inputs and targets [microbatches, pipelines * microbatch,
/// width]; what else and the results are those of global_training_step().
TrainingStep vectorised_pipeline_step(const PipelinedMlpOptions& options);

/// The sharding file that cuts it: stages along the axis "stage", samples along "pipeline" where there are several.
std::string vectorised_pipeline_sharding(const PipelinedMlpOptions& options);

}  // namespace podsim::workloads
