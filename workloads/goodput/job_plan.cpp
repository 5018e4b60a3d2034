// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/job_plan.h"

#include <algorithm>
#include <cmath>

namespace podsim::workloads::goodput {

Nanoseconds JobPlan::blocked(Nanoseconds step, const Way& way) const {
  if (!beside) return way.save + way.store;
  return way.save + std::max(way.store - step * checkpoint_steps, Nanoseconds(0));
}

Nanoseconds JobPlan::period(Nanoseconds step, const Way& way) const {
  return step * checkpoint_steps + check_time(step) + blocked(step, way);
}

Nanoseconds JobPlan::check_time(Nanoseconds step) const {
  if (!check) return Nanoseconds(0);
  const Nanoseconds whole = ways.front().step;
  if (step == whole || whole <= Nanoseconds(0)) return *check;
  return Nanoseconds(std::llround(double(check->value()) * double(step.value()) / double(whole.value())));
}

}  // namespace podsim::workloads::goodput
