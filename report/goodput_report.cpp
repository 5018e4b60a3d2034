// SPDX-License-Identifier: Apache-2.0
#include "report/goodput_report.h"

namespace podsim::report {

namespace goodput = workloads::goodput;

base::Duration GoodputReport::interval() const {
  return base::Duration(goodput::seconds(plan.ways[0].step * plan.checkpoint_steps));
}

base::Duration GoodputReport::checkpoint_wait() const {
  const goodput::Way& way = plan.ways[0];
  const goodput::Nanoseconds check = plan.check.value_or(goodput::Nanoseconds(0));
  return base::Duration(goodput::seconds(check + (plan.beside ? way.save : way.save + way.store)));
}

base::Duration GoodputReport::between_failures() const { return goodput::time_between_failures(sources); }

base::Duration GoodputReport::young() const { return goodput::young_interval(checkpoint_wait(), between_failures()); }

base::Duration GoodputReport::daly() const { return goodput::daly_interval(checkpoint_wait(), between_failures()); }

}  // namespace podsim::report
