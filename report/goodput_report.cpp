// SPDX-License-Identifier: Apache-2.0
#include "report/goodput_report.h"

#include <algorithm>

#include "workloads/goodput/availability.h"

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

double GoodputReport::host_availability() const {
  double per_day = 0;
  for (const goodput::FaultSource& source : sources) {
    const bool repaired = source.cause != goodput::Cause::software && source.cause != goodput::Cause::cable &&
                          source.cause != goodput::Cause::optics && source.cause != goodput::Cause::silent;
    if (repaired) per_day += source.per_day * double(source.units) / double(hosts);
  }
  if (per_day == 0) return 1;
  return goodput::availability(base::Duration(86'400 / per_day), base::Duration(goodput::seconds(plan.repair)));
}

double GoodputReport::slice_availability() const {
  return goodput::BlockMachine{1, hosts, host_availability()}.block_availability();
}

std::optional<double> GoodputReport::slowdown_on(const goodput::Sizes& sizes) const {
  const auto found = std::ranges::find(ways, sizes, [](const WayReport& way) { return way.way.sizes; });
  if (found == ways.end()) return std::nullopt;
  return goodput::seconds(found->way.step) / goodput::seconds(ways[0].way.step);
}

base::Duration GoodputReport::young() const { return goodput::young_interval(checkpoint_wait(), between_failures()); }

base::Duration GoodputReport::daly() const { return goodput::daly_interval(checkpoint_wait(), between_failures()); }

}  // namespace podsim::report
