// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hlo/pipeline/chunk_functions.h"
#include "hlo/pipeline/schedule.h"
#include "hlo/transform/rematerialize.h"
#include "sw/target_machine.h"
#include "workloads/workload.h"

namespace CLI {
class App;
}

namespace podsim::app::options {

/// The flags that divide a training step into the stages of pipelines.
struct PipelineFlags {
  std::optional<std::int64_t> stages, micro_batches, chunks;
  std::string schedule;   ///< a name, or a file in TOML; empty: 1f1b
  std::string divide_at;  ///< op_names at which chunks begin, joined by commas; empty: equal costs

  void add_to(CLI::App& command);
  /// True if a pipeline is asked for.
  bool asked() const { return stages || !schedule.empty(); }
  /// The schedule by name or out of its file. InputError at the flags, or in the file.
  hlo::pipeline::Schedule read_schedule() const;
};

/// A network in the chunks of a schedule. Its step depends on what stages keep for the backward computations.
struct PipelinedNetwork {
  std::shared_ptr<const workloads::ForwardNetwork> network;  ///< of one micro-batch
  hlo::pipeline::Schedule schedule;
  hlo::pipeline::Division division;
  std::int64_t pipelines = 1;
  std::int64_t samples = 0;  ///< of a step of all pipelines; 0 if the workload does not say

  workloads::TrainingStep step(hlo::pipeline::Kept kept) const;
};

/// What stages keep by a policy of --rematerialise: activations for none, what they receive for layer. std::nullopt for
/// none given. InputError for another.
std::optional<hlo::pipeline::Kept> kept_by(std::optional<hlo::transform::Rematerialisation> policy);

/// Divides the network that a step of one micro-batch trains. InputError at the flags if its step has none, if it
/// cannot be divided, or if `cores` are no multiple of the stages.
PipelinedNetwork divided(const workloads::TrainingStep& step, const PipelineFlags& flags, std::int64_t cores,
                         const sw::TargetMachine& machine);

/// As above, of a workload, which `build` builds for the samples of one micro-batch: those of all cores of a pipeline,
/// divided by the number of micro-batches.
PipelinedNetwork divided(const std::function<workloads::Workload(const workloads::WorkloadOptions&)>& build,
                         workloads::WorkloadOptions options, const PipelineFlags& flags, std::int64_t cores,
                         const sw::TargetMachine& machine);

}  // namespace podsim::app::options
