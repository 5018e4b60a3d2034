// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/config.h"
#include "base/units.h"

namespace podsim::sw::job {

/// What a training job takes beside its steps, of the machine's section [job].
struct JobParameters {
  base::Duration loop_launch;  ///< until a loop of steps begins on the device
};

/// InputError for a value out of its range, at the location that set it.
JobParameters read_job_parameters(const base::Config& config);

}  // namespace podsim::sw::job
