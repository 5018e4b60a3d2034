// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/step_cost.h"

namespace podsim::workloads::serving {

StepCost& StepCost::operator+=(const StepCost& more) {
  seconds += more.seconds;
  joules += more.joules;
  mxu_s += more.mxu_s;
  hbm_s += more.hbm_s;
  return *this;
}

StepCost StepCost::operator*(double factor) const {
  StepCost of = *this;
  of.seconds *= factor;
  of.joules *= factor;
  of.mxu_s *= factor;
  of.hbm_s *= factor;
  return of;
}

StepCost between(const StepCost& first, const StepCost& last, double share) {
  StepCost of = first;
  of += last * share;
  of += first * -share;
  return of;
}

}  // namespace podsim::workloads::serving
