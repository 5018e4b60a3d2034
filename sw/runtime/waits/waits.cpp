// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/waits/waits.h"

#include <algorithm>
#include <utility>

namespace podsim::sw::runtime::waits {

Waits::Waits(std::vector<hw::chip::Chip*> chips)
    : chips_(std::move(chips)),
      cores_per_chip_(std::size_t(chips_.front()->cores())),
      cores_(chips_.size() * cores_per_chip_) {}

void Waits::started(std::size_t core, int item, std::uint64_t execution) {
  cores_[core].in_flight.push_back({item, execution});
}

bool Waits::at_end(std::size_t core, std::uint64_t execution) {
  OfCore& of = cores_[core];
  std::erase_if(of.in_flight, [&](const InFlight& started) { return started.execution == execution; });
  return of.over.erase(execution) > 0;
}

void Waits::wait(std::size_t core, std::uint64_t execution) {
  OfCore& of = cores_[core];
  of.waiting = execution;
  if (of.over.erase(execution) > 0) over(core, execution);
}

void Waits::over(std::size_t core, std::uint64_t execution) {
  OfCore& of = cores_[core];
  if (of.waiting != execution) {
    of.over.insert(execution);
    return;
  }
  of.waiting.reset();
  chips_[core / cores_per_chip_]->core(int(core % cores_per_chip_)).complete_external();
}

bool Waits::OfCore::goes_on(const InFlight& started) const { return !over.contains(started.execution); }

bool Waits::any_goes_on(std::size_t core) const {
  const OfCore& of = cores_[core];
  return std::ranges::any_of(of.in_flight, [&](const InFlight& started) { return of.goes_on(started); });
}

bool Waits::all_over() const {
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    if (any_goes_on(core)) return false;
  }
  return true;
}

int Waits::first_in_flight(std::size_t core) const {
  const OfCore& of = cores_[core];
  if (of.in_flight.empty()) return -1;
  const auto first = std::ranges::find_if(of.in_flight, [&](const InFlight& started) { return of.goes_on(started); });
  return (first == of.in_flight.end() ? of.in_flight.front() : *first).item;
}

}  // namespace podsim::sw::runtime::waits
