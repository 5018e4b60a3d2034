// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram_timing_state.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw {

namespace {

/// Commands to all banks of a pseudo-channel lie in no group or bank.
bool concerns_one_bank(DramCommand command) {
  return command != DramCommand::precharge_all && command != DramCommand::refresh_all;
}

std::size_t index_of(DramScope scope, const DramPlace& place) {
  switch (scope) {
    case DramScope::channel:
      return 0;
    case DramScope::pseudo_channel:
      return std::size_t(place.pseudo_channel);
    case DramScope::bank_group:
      return std::size_t(place.group);
    case DramScope::bank:
      return std::size_t(place.bank);
  }
  return 0;
}

}  // namespace

DramTimingState::DramTimingState(const std::vector<DramConstraint>& constraints, const DramOrganization& organization)
    : banks_per_group_(int(organization.banks_per_group)),
      banks_per_pseudo_channel_(int(organization.banks())),
      pseudo_channels_(std::size_t(organization.pseudo_channels)),
      groups_(std::size_t(organization.pseudo_channels * organization.bank_groups)),
      banks_(std::size_t(organization.pseudo_channels * organization.banks())) {
  for (const DramConstraint& row : constraints) {
    if (row.window == 1) {
      effects_[std::size_t(row.scope)][std::size_t(row.previous)].push_back({row.next, row.clocks.value()});
    } else {
      const std::size_t count = places(row.scope), window = std::size_t(row.window);
      windows_.push_back({row.scope, row.previous, row.next, row.clocks.value(), window,
                          std::vector(count, std::vector<std::int64_t>(window, -row.clocks.value())),
                          std::vector<std::size_t>(count)});
    }
  }
}

std::size_t DramTimingState::places(DramScope scope) const {
  constexpr std::size_t channels = 1;
  return std::array{channels, pseudo_channels_.size(), groups_.size(), banks_.size()}[std::size_t(scope)];
}

DramTimingState::Node& DramTimingState::node(DramScope scope, const DramPlace& place) {
  if (scope == DramScope::channel) return channel_;
  std::vector<Node>& nodes = scope == DramScope::pseudo_channel ? pseudo_channels_
                             : scope == DramScope::bank_group   ? groups_
                                                                : banks_;
  return nodes[index_of(scope, place)];
}

std::int64_t DramTimingState::earliest(DramCommand command, const DramPlace& place) const {
  const std::int64_t wide = std::max(of_channel(command), of_pseudo_channel(place.pseudo_channel, command));
  if (!concerns_one_bank(command)) return wide;
  return std::max({wide, of_group(place.group, command), of_bank(place.bank, command)});
}

void DramTimingState::issue(DramCommand command, const DramPlace& place, std::int64_t clock) {
  assert(accepts(command, place, clock));
  apply(DramScope::channel, channel_, command, clock);
  apply(DramScope::pseudo_channel, pseudo_channels_[std::size_t(place.pseudo_channel)], command, clock);
  if (concerns_one_bank(command)) {
    apply(DramScope::bank_group, groups_[std::size_t(place.group)], command, clock);
    apply(DramScope::bank, banks_[std::size_t(place.bank)], command, clock);
  }
  for (WindowRule& rule : windows_) {
    if (rule.previous == command) apply_window(rule, place, clock);
  }
}

void DramTimingState::apply(DramScope scope, Node& node, DramCommand command, std::int64_t clock) const {
  for (const Effect& effect : effects_[std::size_t(scope)][std::size_t(command)]) {
    std::int64_t& earliest = node.earliest[std::size_t(effect.next)];
    earliest = std::max(earliest, clock + effect.clocks);
  }
}

void DramTimingState::apply_window(WindowRule& rule, const DramPlace& place, std::int64_t clock) {
  const std::size_t index = index_of(rule.scope, place);
  std::size_t& oldest = rule.oldest[index];
  rule.times[index][oldest] = clock;
  oldest = oldest + 1 == rule.window ? 0 : oldest + 1;
  std::int64_t& earliest = node(rule.scope, place).earliest[std::size_t(rule.next)];
  earliest = std::max(earliest, rule.times[index][oldest] + rule.clocks);
}

}  // namespace podsim::hw
