// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/job_plan.h"

#include <algorithm>

namespace podsim::workloads::goodput {

Nanoseconds JobPlan::blocked(Nanoseconds step, const Way& way) const {
  if (!beside) return way.save + way.store;
  return way.save + std::max(way.store - step * checkpoint_steps, Nanoseconds(0));
}

Nanoseconds JobPlan::period(Nanoseconds step, const Way& way) const {
  return step * checkpoint_steps + check.value_or(Nanoseconds(0)) + blocked(step, way);
}

}  // namespace podsim::workloads::goodput
