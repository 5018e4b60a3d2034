// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/job_outcome.h"

namespace podsim::workloads::goodput {

Nanoseconds JobOutcome::all() const {
  Nanoseconds sum = training + slower + checks + checkpoints + start;
  for (const CauseTimes& cause : causes) sum += cause.all();
  return sum;
}

}  // namespace podsim::workloads::goodput
