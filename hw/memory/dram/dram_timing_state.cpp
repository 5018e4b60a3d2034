// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/dram_timing_state.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace podsim::hw::memory::dram {

namespace {

/// Returns false for commands to all banks of a pseudo-channel, which have no group or bank.
bool concerns_one_bank(DramCommand command) {
  return command != DramCommand::precharge_all && command != DramCommand::refresh_all;
}

/// Number of the target's unit in each scope.
std::array<std::size_t, dram_scope_count> numbers(const DramTarget& target) {
  return {0, std::size_t(target.pseudo_channel), std::size_t(target.group), std::size_t(target.bank)};
}

/// The rules of one scope that constrain command `next`.
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

DramTimingState::DramTimingState(const std::vector<DramConstraint>& constraints,
                                 const parts::hbm::DramOrganization& organization)
    : group_bits_(std::countr_zero(std::uint64_t(organization.banks_per_group))),
      bank_bits_(std::countr_zero(std::uint64_t(organization.banks()))) {
  resolve(DramScope::channel, constraints, 1);
  resolve(DramScope::pseudo_channel, constraints, std::size_t(organization.pseudo_channels));
  resolve(DramScope::bank_group, constraints, std::size_t(organization.pseudo_channels * organization.bank_groups));
  resolve(DramScope::bank, constraints, std::size_t(organization.pseudo_channels * organization.banks()));
}

void DramTimingState::resolve(DramScope scope, const std::vector<DramConstraint>& constraints, std::size_t places) {
  Offsets& offsets = offsets_[std::size_t(scope)];
  for (std::size_t command = 0; command < dram_command_count; ++command) {
    const std::vector<DramConstraint> rules = rules_for(scope, DramCommand(command), constraints);
    std::size_t same = 0;
    while (same < command && !alike(rules, rules_for(scope, DramCommand(same), constraints))) ++same;
    if (same < command) {
      offsets[command] = offsets[same];
      continue;
    }
    offsets[command] = earliest_.size();
    earliest_.resize(earliest_.size() + places);
    for (const DramConstraint& rule : rules) add(scope, offsets[command], rule, places);
  }
}

void DramTimingState::add(DramScope scope, std::size_t offset, const DramConstraint& rule, std::size_t places) {
  const Effect effect{scope, offset, rule.clocks.value()};
  if (rule.window == 1) {
    effects_[std::size_t(rule.previous)].push_back(effect);
    if (scope <= DramScope::pseudo_channel) ++wide_effects_[std::size_t(rule.previous)];
  } else {
    const std::vector<std::int64_t> none(std::size_t(rule.window), -effect.clocks);
    windows_.push_back({rule.previous, effect, std::vector(places, none), std::vector<std::size_t>(places)});
  }
}

std::int64_t DramTimingState::earliest(DramCommand command, const DramTarget& target) const {
  const std::int64_t wide = std::max(of_channel(command), of_pseudo_channel(command, target.pseudo_channel));
  if (!concerns_one_bank(command)) return wide;
  return std::max({wide, of(DramScope::bank_group, command)[target.group], of(DramScope::bank, command)[target.bank]});
}

void DramTimingState::issue(DramCommand command, const DramTarget& target, std::int64_t clock) {
  const auto number = numbers(target);
  const std::vector<Effect>& effects = effects_[std::size_t(command)];
  const std::size_t count = concerns_one_bank(command) ? effects.size() : wide_effects_[std::size_t(command)];
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t& earliest = earliest_[effects[i].offset + number[std::size_t(effects[i].scope)]];
    earliest = std::max(earliest, clock + effects[i].clocks);
  }
  for (WindowRule& rule : windows_) {
    if (rule.previous == command) apply_window(rule, number[std::size_t(rule.effect.scope)], clock);
  }
}

void DramTimingState::apply_window(WindowRule& rule, std::size_t target, std::int64_t clock) {
  std::vector<std::int64_t>& times = rule.times[target];
  std::size_t& oldest = rule.oldest[target];
  times[oldest] = clock;
  oldest = oldest + 1 == times.size() ? 0 : oldest + 1;
  std::int64_t& earliest = earliest_[rule.effect.offset + target];
  earliest = std::max(earliest, times[oldest] + rule.effect.clocks);
}

}  // namespace podsim::hw::memory::dram
