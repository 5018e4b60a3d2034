// SPDX-License-Identifier: Apache-2.0
#include "sw/job/job_parameters.h"

#include <fmt/format.h>

namespace podsim::sw::job {

namespace {

constexpr base::Duration longest(3600);

base::Duration job_duration(const base::Config& config, const char* key) {
  const base::Duration value = config.duration(key);
  if (!(value.si() >= 0 && value <= longest)) config.reject(key, fmt::format("'{}' must be between 0 and 3600 s", key));
  return value;
}

}  // namespace

JobParameters read_job_parameters(const base::Config& config) {
  return {.loop_launch = job_duration(config, "job.loop_launch"),
          .connect = job_duration(config, "job.connect"),
          .graph_op = job_duration(config, "job.graph_op"),
          .compile_op = job_duration(config, "job.compile_op")};
}

}  // namespace podsim::sw::job
