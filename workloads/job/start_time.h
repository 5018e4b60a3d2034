// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "hw/input/input_plan.h"
#include "workloads/job/job_parameters.h"

namespace podsim::workloads::job {

/// Who builds the program of a job: one client the parts of all hosts, or a client on every host its own.
enum class Clients { one, per_host };

/// What a job does before its first step.
struct StartWork {
  Clients clients = Clients::per_host;
  std::int64_t hosts = 1;
  std::int64_t ops = 0;             ///< of the training step, compiled
  std::int64_t evaluation_ops = 0;  ///< of the step of an evaluation; 0 without one
  base::Duration from_storage;      ///< of a checkpoint, for each host; 0 if weights are made
  base::Duration to_device;         ///< of weights, over PCIe
  std::optional<hw::input::InputPlan> input;
};

/// Phases of a start, one after another:
///
///   connect   job.connect: processes, runtime, mesh of the chips
///   graph     ops * job.graph_op, times the number of hosts for one client
///   compile   (ops + evaluation_ops) * job.compile_op, on every client at the same time
///   restore   a checkpoint from the storage to every host at the same time, if the job begins with one
///   weights   from each host to its chips
///   input     the first batch through all stages of a host, the first time that data are touched
struct StartTime {
  base::Duration connect, graph, compile, restore, weights, input;
  base::Duration all() const { return connect + graph + compile + restore + weights + input; }
};

StartTime start_time(const JobParameters& parameters, const StartWork& work);

}  // namespace podsim::workloads::job
