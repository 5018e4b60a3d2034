// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/planned_order.h"

#include "hw/pod/bare_pod.h"
#include "sw/collectives/engine/direct_engine.h"
#include "sw/collectives/schedule/collective_folding.h"

namespace podsim::sw::collectives::engine {

std::shared_ptr<const PlannedOrder> plan_order(const TargetMachine& machine,
                                               const std::shared_ptr<const schedule::CollectiveSchedule>& schedule) {
  auto order = std::make_shared<PlannedOrder>(PlannedOrder{.topology = schedule::fold_for(*schedule)});
  hw::pod::BarePod pod(machine, order->topology);
  DirectEngine engine(machine, pod, schedule);
  engine.record(order->actions);
  pod.links().record(order->messages);
  engine.run(schedule::StartTimes(std::size_t(schedule->cores())));
  return order;
}

}  // namespace podsim::sw::collectives::engine
