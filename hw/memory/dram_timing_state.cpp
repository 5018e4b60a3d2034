// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram_timing_state.h"

#include <algorithm>
#include <bit>
#include <iterator>

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

/// What a scope's table says about when a command may come.
std::vector<DramConstraint> rules_for(DramScope scope, DramCommand next, const std::vector<DramConstraint>& table) {
  std::vector<DramConstraint> rules;
  std::ranges::copy_if(table, std::back_inserter(rules),
                       [&](const DramConstraint& row) { return row.scope == scope && row.next == next; });
  return rules;
}

bool alike(const std::vector<DramConstraint>& a, const std::vector<DramConstraint>& b) {
  return std::ranges::equal(a, b, [](const DramConstraint& one, const DramConstraint& other) {
    return one.previous == other.previous && one.clocks == other.clocks && one.window == other.window;
  });
}

}  // namespace

DramTimingState::DramTimingState(const std::vector<DramConstraint>& constraints, const DramOrganization& organization)
    : group_bits_(std::countr_zero(std::uint64_t(organization.banks_per_group))),
      bank_bits_(std::countr_zero(std::uint64_t(organization.banks()))) {
  resolve(DramScope::channel, constraints, 1);
  resolve(DramScope::pseudo_channel, constraints, organization.pseudo_channels);
  resolve(DramScope::bank_group, constraints, organization.pseudo_channels * organization.bank_groups);
  resolve(DramScope::bank, constraints, organization.pseudo_channels * organization.banks());
}

void DramTimingState::resolve(DramScope scope, const std::vector<DramConstraint>& constraints, std::int64_t places) {
  Scope& own = scopes_[std::size_t(scope)];
  own.places = std::size_t(places);
  for (std::size_t command = 0; command < dram_command_count; ++command) {
    const std::vector<DramConstraint> rules = rules_for(scope, DramCommand(command), constraints);
    std::size_t same = 0;
    while (same < command && !alike(rules, rules_for(scope, DramCommand(same), constraints))) ++same;
    if (same < command) {
      own.offset[command] = own.offset[same];
      continue;
    }
    own.offset[command] = own.earliest.size();
    own.earliest.resize(own.earliest.size() + own.places);
    for (const DramConstraint& rule : rules) {
      const Effect effect{own.offset[command], rule.clocks.value()};
      if (rule.window == 1) {
        own.effects[std::size_t(rule.previous)].push_back(effect);
      } else {
        const std::vector<std::int64_t> none(std::size_t(rule.window), -effect.clocks);
        windows_.push_back(
            {scope, rule.previous, effect, std::vector(own.places, none), std::vector<std::size_t>(own.places)});
      }
    }
  }
}

std::int64_t DramTimingState::earliest(DramCommand command, const DramPlace& place) const {
  const std::int64_t wide = std::max(of_channel(command), of_pseudo_channel(command, place.pseudo_channel));
  if (!concerns_one_bank(command)) return wide;
  return std::max({wide, of(DramScope::bank_group, command)[place.group], of(DramScope::bank, command)[place.bank]});
}

void DramTimingState::issue(DramCommand command, const DramPlace& place, std::int64_t clock) {
  const std::size_t scopes = concerns_one_bank(command) ? dram_scope_count : std::size_t(DramScope::bank_group);
  for (std::size_t scope = 0; scope < scopes; ++scope) {
    Scope& own = scopes_[scope];
    std::int64_t* const of_place = own.earliest.data() + index_of(DramScope(scope), place);
    for (const Effect& effect : own.effects[std::size_t(command)]) {
      std::int64_t& earliest = of_place[effect.offset];
      earliest = std::max(earliest, clock + effect.clocks);
    }
  }
  for (WindowRule& rule : windows_) {
    if (rule.previous == command) apply_window(rule, place, clock);
  }
}

void DramTimingState::apply_window(WindowRule& rule, const DramPlace& place, std::int64_t clock) {
  const std::size_t index = index_of(rule.scope, place);
  std::vector<std::int64_t>& times = rule.times[index];
  std::size_t& oldest = rule.oldest[index];
  times[oldest] = clock;
  oldest = oldest + 1 == times.size() ? 0 : oldest + 1;
  std::int64_t& earliest = scopes_[std::size_t(rule.scope)].earliest[rule.effect.offset + index];
  earliest = std::max(earliest, times[oldest] + rule.effect.clocks);
}

}  // namespace podsim::hw
