// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/memory_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::hw {

/// One channel's signals.
class MemoryTrace::Channel : public CommandObserver {
 public:
  Channel(const ChannelController& controller, const DramParameters& parameters, const Trace& trace, Changes& changes)
      : controller_(controller), parameters_(parameters), changes_(changes) {
    row_command_ = trace.probe<std::string>("row_command");
    column_command_ = trace.probe<std::string>("column_command");
    for (int number = 0; number < controller.pseudo_channels(); ++number) {
      pseudo_channels_.emplace_back(parameters.organization, trace.below(fmt::format("pseudo_channel{}", number)));
      show_queues(number, base::Cycles(0));
    }
    for (base::Probe<std::string>* bus : {&row_command_, &column_command_}) show(*bus, base::Cycles(0), "");
    for (PseudoChannel& channel : pseudo_channels_) {
      show(channel.data, base::Cycles(0), "");
      for (auto& bank : channel.banks) show(bank, base::Cycles(0), "closed");
    }
  }

  void issued(DramCommand command, const DramPlace& place, std::int64_t row, base::Cycles clock) override {
    const bool column = moves_data(command);
    base::Probe<std::string>& bus = column ? column_command_ : row_command_;
    show(bus, clock, text(command, place, row));
    show(bus, clock + base::Cycles(1), "");
    show_banks(command, place, row, clock);
    if (column) show_data(command, place, clock);
    show_queues(place.pseudo_channel, clock);
  }

 private:
  struct PseudoChannel {
    PseudoChannel(const DramOrganization& organization, const Trace& trace)
        : data(trace.probe<std::string>("data")),
          reads(trace.probe<std::int64_t>("reads_waiting")),
          writes(trace.probe<std::int64_t>("writes_waiting")) {
      for (std::int64_t bank = 0; bank < organization.banks(); ++bank) {
        const std::string name =
            fmt::format("group{}_bank{}", bank / organization.banks_per_group, bank % organization.banks_per_group);
        banks.push_back(trace.below("banks").probe<std::string>(name.c_str()));
      }
    }
    base::Probe<std::string> data;
    base::Probe<std::int64_t> reads, writes;
    std::deque<base::Probe<std::string>> banks;
  };

  static bool reads(DramCommand command) {
    return command == DramCommand::read || command == DramCommand::read_precharge;
  }
  static bool moves_data(DramCommand command) {
    return reads(command) || command == DramCommand::write || command == DramCommand::write_precharge;
  }

  /// "ACT p0 g1 b2 row 17"
  std::string text(DramCommand command, const DramPlace& place, std::int64_t row) const {
    const DramOrganization& organization = parameters_.organization;
    std::string shown = fmt::format("{} p{}", to_string(command), place.pseudo_channel);
    if (command == DramCommand::precharge_all || command == DramCommand::refresh_all) return shown;
    shown += fmt::format(" g{} b{}", place.group % organization.bank_groups, place.bank % organization.banks_per_group);
    return command == DramCommand::activate ? shown + fmt::format(" row {}", row) : shown;
  }

  void show_banks(DramCommand command, const DramPlace& place, std::int64_t row, base::Cycles clock) {
    PseudoChannel& channel = pseudo_channels_[std::size_t(place.pseudo_channel)];
    auto& bank = channel.banks[std::size_t(place.bank % parameters_.organization.banks())];
    switch (command) {
      case DramCommand::activate:
        show(bank, clock, fmt::format("row {}", row));
        break;
      case DramCommand::precharge:
      case DramCommand::read_precharge:
      case DramCommand::write_precharge:
        show(bank, clock, "closed");
        break;
      case DramCommand::refresh_bank:
        show_refresh(bank, clock, parameters_.timing.rfc_bank);
        break;
      case DramCommand::precharge_all:
        for (auto& each : channel.banks) show(each, clock, "closed");
        break;
      case DramCommand::refresh_all:
        for (auto& each : channel.banks) show_refresh(each, clock, parameters_.timing.rfc_all);
        break;
      case DramCommand::read:
      case DramCommand::write:
        break;
    }
  }

  void show_refresh(base::Probe<std::string>& bank, base::Cycles clock, base::Cycles duration) {
    show(bank, clock, "refresh");
    show(bank, clock + duration, "closed");
  }

  void show_data(DramCommand command, const DramPlace& place, base::Cycles clock) {
    const bool read = reads(command);
    const base::Cycles begin = clock + (read ? parameters_.timing.cl : parameters_.timing.cwl);
    base::Probe<std::string>& data = pseudo_channels_[std::size_t(place.pseudo_channel)].data;
    show(data, begin + parameters_.organization.burst_clocks, "");
    show(data, begin, read ? "read" : "write");
  }

  void show_queues(int number, base::Cycles clock) {
    const hw::PseudoChannel& queues = controller_.pseudo_channel(number);
    PseudoChannel& shown = pseudo_channels_[std::size_t(number)];
    show(shown.reads, clock, queues.waiting(Direction::read));
    show(shown.writes, clock, queues.waiting(Direction::write));
  }

  void show(base::Probe<std::string>& probe, base::Cycles clock, std::string text) {
    if (probe.active()) changes_.push_back({clock, &probe, nullptr, std::move(text), 0});
  }
  void show(base::Probe<std::int64_t>& probe, base::Cycles clock, std::int64_t value) {
    if (probe.active()) changes_.push_back({clock, nullptr, &probe, "", value});
  }

  const ChannelController& controller_;
  const DramParameters& parameters_;
  Changes& changes_;
  base::Probe<std::string> row_command_, column_command_;
  std::deque<PseudoChannel> pseudo_channels_;
};

MemoryTrace::MemoryTrace(MemorySystem& memory, const Trace& trace) : clock_(memory.clock()), memory_(memory) {
  for (int number = 0; number < memory.channels(); ++number) {
    channels_.emplace_back(memory.channel(number), memory.parameters(), trace.below(fmt::format("channel{}", number)),
                           changes_);
    memory.channel(number).observe(&channels_.back());
  }
}

MemoryTrace::~MemoryTrace() {
  for (int number = 0; number < memory_.channels(); ++number) memory_.channel(number).observe(nullptr);
}

/// Of the changes of one signal in one clock the last stands: data that follow data leave no gap.
bool MemoryTrace::overtaken(Changes::const_iterator change, Changes::const_iterator end) {
  for (auto later = change + 1; later != end && later->clock == change->clock; ++later) {
    if (later->text == change->text && later->number == change->number) return true;
  }
  return false;
}

void MemoryTrace::show_until(base::Cycles clock) {
  std::ranges::stable_sort(changes_, {}, &Change::clock);
  const auto end = std::ranges::lower_bound(changes_, clock, {}, &Change::clock);
  for (auto change = changes_.begin(); change != end; ++change) {
    if (overtaken(change, end)) continue;
    const base::Time at = clock_.time_of(change->clock);
    if (change->text != nullptr) change->text->set(at, change->shown);
    if (change->number != nullptr) change->number->set(at, change->value);
  }
  changes_.erase(changes_.begin(), end);
}

}  // namespace podsim::hw
