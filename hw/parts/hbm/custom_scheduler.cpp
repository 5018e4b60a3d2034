// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/hbm/custom_scheduler.h"

#include <utility>

#include "base/registry.h"

namespace podsim::hw::parts::hbm {
namespace {

base::Registry<CustomScheduler>& custom_schedulers() {
  static base::Registry<CustomScheduler> registry;
  return registry;
}

}  // namespace

CustomScheduler::~CustomScheduler() = default;

void register_scheduler(std::shared_ptr<const CustomScheduler> scheduler) {
  custom_schedulers().add(std::move(scheduler), {"fr_fcfs"});
}

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names{"fr_fcfs"};
  for (const auto& scheduler : custom_schedulers().objects()) names.emplace_back(scheduler->name());
  return names;
}

std::shared_ptr<const CustomScheduler> custom_scheduler(std::int64_t index) {
  return index == 0 ? nullptr : custom_schedulers().objects().at(std::size_t(index - 1));
}

std::string custom_scheduler_key() {
  if (custom_schedulers().objects().empty()) return "";
  return "[hbm]\nscheduler = { value = \"fr_fcfs\", evidence = \"assumed\", source = \"the scheduler of the other "
         "keys\" "
         "}\n";
}

}  // namespace podsim::hw::parts::hbm
