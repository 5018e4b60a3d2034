// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/start_time.h"

namespace podsim::workloads::job {

StartTime start_time(const JobParameters& parameters, const StartWork& work) {
  StartTime time;
  time.connect = parameters.connect;
  const double graphs = work.clients == Clients::one ? double(work.hosts) : 1;
  time.graph = parameters.graph_op * (double(work.ops) * graphs);
  time.compile = parameters.compile_op * double(work.ops + work.evaluation_ops);
  time.restore = work.from_storage;
  time.weights = work.to_device;
  if (!work.input) return time;
  for (const hw::input::Stage& stage : work.input->stages) time.input = time.input + stage.mean;
  return time;
}

}  // namespace podsim::workloads::job
