// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/job_parameters.h"

#include "base/parameters/section.h"

namespace podsim::workloads::job {

namespace {

/// A size of at most 1 TiB, or nothing.
struct Outfeed {
  base::Bytes operator()(const base::parameters::Reading& reading, const std::string& key) const {
    constexpr base::Bytes most{1LL << 40};
    const base::Bytes value = reading.config.bytes(key);
    if (value > most) reading.config.reject(key, "'" + key + "' must be at most " + base::to_string(most));
    return value;
  }
};

}  // namespace

const base::parameters::Section<JobParameters>& JobParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  using Job = JobParameters;
  const Time hour{3600};
  static const base::parameters::Section<Job> keys(
      "job", {
                 {"loop_launch", &Job::loop_launch, hour, {jobs}},
                 {"connect", &Job::connect, hour, {starts}},
                 {"graph_op", &Job::graph_op, hour, {starts}},
                 {"compile_op", &Job::compile_op, hour, {starts}},
                 {"outfeed", &Job::outfeed, Outfeed{}, {jobs}},
                 {"outfeed_handling", &Job::outfeed_handling, hour, {jobs}},
                 {"storage_rate", &Job::storage_rate, Rate{base::Bandwidth(1e3), "1 kB/s"}, {checkpoints}},
                 {"checkpoint_beside", &Job::checkpoint_beside, Flag{}, {checkpoints}},
             });
  return keys;
}

JobParameters read_job_parameters(const base::Config& config) {
  return JobParameters::section().read({config, std::nullopt});
}

}  // namespace podsim::workloads::job
