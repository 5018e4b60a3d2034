// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/channel_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::hw::memory::dram {

namespace {

bool reads_data(DramCommand command) { return command == DramCommand::read || command == DramCommand::read_precharge; }

bool moves_data(DramCommand command) {
  return reads_data(command) || command == DramCommand::write || command == DramCommand::write_precharge;
}

}  // namespace

void PendingChanges::add(base::trace::Probe<std::string>& probe, base::Cycles clock, std::string text) {
  if (probe.active()) changes_.push_back({clock, &probe, nullptr, std::move(text), 0});
}

void PendingChanges::add(base::trace::Probe<std::int64_t>& probe, base::Cycles clock, std::int64_t value) {
  if (probe.active()) changes_.push_back({clock, nullptr, &probe, "", value});
}

std::optional<base::Cycles> PendingChanges::first() const {
  if (changes_.empty()) return std::nullopt;
  return std::ranges::min_element(changes_, {}, &Change::clock)->clock;
}

/// Returns whether a later change of the same signal in the same clock replaces this one. Without this, back-to-back
/// data would show a gap.
bool PendingChanges::overtaken(Changes::const_iterator change, Changes::const_iterator end) {
  for (auto later = change + 1; later != end && later->clock == change->clock; ++later) {
    if (later->text == change->text && later->number == change->number) return true;
  }
  return false;
}

void PendingChanges::show_until(base::Cycles clock, const std::function<base::Time(base::Cycles)>& time_of) {
  std::ranges::stable_sort(changes_, {}, &Change::clock);
  const auto end = std::ranges::lower_bound(changes_, clock, {}, &Change::clock);
  for (auto change = changes_.begin(); change != end; ++change) {
    if (overtaken(change, end)) continue;
    const base::Time at = time_of(change->clock);
    if (change->text != nullptr) change->text->set(at, change->shown);
    if (change->number != nullptr) change->number->set(at, change->value);
  }
  changes_.erase(changes_.begin(), end);
}

ChannelTrace::PseudoChannelSignals::PseudoChannelSignals(const parts::hbm::DramOrganization& organization,
                                                         const Trace& trace)
    : data(trace.probe<std::string>("data")),
      reads(trace.probe<std::int64_t>("reads_waiting")),
      writes(trace.probe<std::int64_t>("writes_waiting")) {
  for (std::int64_t bank = 0; bank < organization.banks(); ++bank) {
    const std::string name =
        fmt::format("group{}_bank{}", bank / organization.banks_per_group, bank % organization.banks_per_group);
    banks.push_back(trace.below("banks").probe<std::string>(name.c_str()));
  }
}

ChannelTrace::ChannelTrace(const ChannelController& controller, const parts::hbm::DramParameters& parameters,
                           const Trace& trace, PendingChanges& changes)
    : controller_(controller), parameters_(parameters), changes_(changes) {
  row_command_ = trace.probe<std::string>("row_command");
  column_command_ = trace.probe<std::string>("column_command");
  for (int number = 0; number < controller.pseudo_channels(); ++number) {
    pseudo_channels_.emplace_back(parameters.organization, trace.below(fmt::format("pseudo_channel{}", number)));
    show_queues(number, base::Cycles(0));
  }
  for (base::trace::Probe<std::string>* bus : {&row_command_, &column_command_})
    changes_.add(*bus, base::Cycles(0), "");
  for (PseudoChannelSignals& channel : pseudo_channels_) {
    changes_.add(channel.data, base::Cycles(0), "");
    for (auto& bank : channel.banks) changes_.add(bank, base::Cycles(0), "closed");
  }
}

void ChannelTrace::issued(DramCommand command, const DramTarget& target, std::int64_t row, base::Cycles clock) {
  const bool column = moves_data(command);
  base::trace::Probe<std::string>& bus = column ? column_command_ : row_command_;
  changes_.add(bus, clock, text(command, target, row));
  changes_.add(bus, clock + base::Cycles(1), "");
  show_banks(command, target, row, clock);
  if (column) show_data(command, target, clock);
  show_queues(target.pseudo_channel, clock);
}

/// "ACT p0 g1 b2 row 17"
std::string ChannelTrace::text(DramCommand command, const DramTarget& target, std::int64_t row) const {
  const parts::hbm::DramOrganization& organization = parameters_.organization;
  std::string shown = fmt::format("{} p{}", to_string(command), target.pseudo_channel);
  if (command == DramCommand::precharge_all || command == DramCommand::refresh_all) return shown;
  shown += fmt::format(" g{} b{}", target.group % organization.bank_groups, target.bank % organization.banks_per_group);
  return command == DramCommand::activate ? shown + fmt::format(" row {}", row) : shown;
}

void ChannelTrace::show_banks(DramCommand command, const DramTarget& target, std::int64_t row, base::Cycles clock) {
  PseudoChannelSignals& channel = pseudo_channels_[std::size_t(target.pseudo_channel)];
  auto& bank = channel.banks[std::size_t(target.bank % parameters_.organization.banks())];
  switch (command) {
    case DramCommand::activate:
      changes_.add(bank, clock, fmt::format("row {}", row));
      break;
    case DramCommand::precharge:
    case DramCommand::read_precharge:
    case DramCommand::write_precharge:
      changes_.add(bank, clock, "closed");
      break;
    case DramCommand::refresh_bank:
      show_refresh(bank, clock, parameters_.timing.rfc_bank);
      break;
    case DramCommand::precharge_all:
      for (auto& each : channel.banks) changes_.add(each, clock, "closed");
      break;
    case DramCommand::refresh_all:
      for (auto& each : channel.banks) show_refresh(each, clock, parameters_.timing.rfc_all);
      break;
    case DramCommand::read:
    case DramCommand::write:
      break;
  }
}

void ChannelTrace::show_refresh(base::trace::Probe<std::string>& bank, base::Cycles clock, base::Cycles duration) {
  changes_.add(bank, clock, "refresh");
  changes_.add(bank, clock + duration, "closed");
}

void ChannelTrace::show_data(DramCommand command, const DramTarget& target, base::Cycles clock) {
  const bool read = reads_data(command);
  const base::Cycles begin = clock + (read ? parameters_.timing.cl : parameters_.timing.cwl);
  base::trace::Probe<std::string>& data = pseudo_channels_[std::size_t(target.pseudo_channel)].data;
  changes_.add(data, begin + parameters_.organization.burst_clocks, "");
  changes_.add(data, begin, read ? "read" : "write");
}

void ChannelTrace::show_queues(int number, base::Cycles clock) {
  const PseudoChannel& queues = controller_.pseudo_channel(number);
  PseudoChannelSignals& shown = pseudo_channels_[std::size_t(number)];
  changes_.add(shown.reads, clock, queues.waiting(Direction::read));
  changes_.add(shown.writes, clock, queues.waiting(Direction::write));
}

}  // namespace podsim::hw::memory::dram
