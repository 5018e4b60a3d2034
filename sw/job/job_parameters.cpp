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

base::Bandwidth storage_rate(const base::Config& config) {
  const base::Bandwidth value = config.bandwidth("job.storage_rate");
  if (!(value.si() >= 1e3 && value.si() <= 1e15))
    config.reject("job.storage_rate", "'job.storage_rate' must be between 1 kB/s and 1000000 GB/s");
  return value;
}

base::Bytes outfeed(const base::Config& config) {
  constexpr base::Bytes most{1LL << 40};
  const base::Bytes value = config.bytes("job.outfeed");
  if (value > most)
    config.reject("job.outfeed", fmt::format("'job.outfeed' must be at most {}", base::to_string(most)));
  return value;
}

}  // namespace

JobParameters read_job_parameters(const base::Config& config) {
  return {.loop_launch = job_duration(config, "job.loop_launch"),
          .connect = job_duration(config, "job.connect"),
          .graph_op = job_duration(config, "job.graph_op"),
          .compile_op = job_duration(config, "job.compile_op"),
          .outfeed = outfeed(config),
          .outfeed_handling = job_duration(config, "job.outfeed_handling"),
          .storage_rate = storage_rate(config),
          .checkpoint_beside = config.boolean("job.checkpoint_beside")};
}

}  // namespace podsim::sw::job
