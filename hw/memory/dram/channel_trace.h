// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/memory/dram/channel_controller.h"
#include "hw/trace.h"

namespace podsim::hw::memory::dram {

/// Holds changes of signals until time has passed them. They come out of order: data follow their command, and a
/// command is decided when time moves past its clock.
class PendingChanges {
 public:
  void add(base::trace::Probe<std::string>& probe, base::Cycles clock, std::string text);
  void add(base::trace::Probe<std::int64_t>& probe, base::Cycles clock, std::int64_t value);
  /// Clock of the first change; std::nullopt if there is none.
  std::optional<base::Cycles> first() const;
  /// Writes the changes of clocks before `clock` to their probes, in order of clocks, at the times that `time_of`
  /// returns.
  void show_until(base::Cycles clock, const std::function<base::Time(base::Cycles)>& time_of);

 private:
  struct Change {
    base::Cycles clock;
    base::trace::Probe<std::string>* text = nullptr;  ///< exactly one of text and number is set
    base::trace::Probe<std::int64_t>* number = nullptr;
    std::string shown;
    std::int64_t value = 0;
  };
  using Changes = std::vector<Change>;
  static bool overtaken(Changes::const_iterator change, Changes::const_iterator end);

  Changes changes_;
};

/// Traces a channel: the commands on its two buses and, per pseudo-channel, the data on the pins, the number of bursts
/// that wait in the queues, and the state of every bank ("row 17", "closed", "refresh").
class ChannelTrace : public CommandObserver {
 public:
  /// The caller attaches the trace with ChannelController::observe(). Changes go to `changes`, which must outlive the
  /// trace, beginning with the state at clock zero.
  ChannelTrace(const ChannelController& controller, const parts::hbm::DramParameters& parameters, const Trace& trace,
               PendingChanges& changes);

  void issued(DramCommand command, const DramTarget& target, std::int64_t row, base::Cycles clock) override;

 private:
  struct PseudoChannelSignals {
    PseudoChannelSignals(const parts::hbm::DramOrganization& organization, const Trace& trace);
    base::trace::Probe<std::string> data;
    base::trace::Probe<std::int64_t> reads, writes;
    std::deque<base::trace::Probe<std::string>> banks;
  };

  std::string text(DramCommand command, const DramTarget& target, std::int64_t row) const;
  void show_banks(DramCommand command, const DramTarget& target, std::int64_t row, base::Cycles clock);
  void show_refresh(base::trace::Probe<std::string>& bank, base::Cycles clock, base::Cycles duration);
  void show_data(DramCommand command, const DramTarget& target, base::Cycles clock);
  void show_queues(int number, base::Cycles clock);

  const ChannelController& controller_;
  const parts::hbm::DramParameters parameters_;
  PendingChanges& changes_;
  base::trace::Probe<std::string> row_command_, column_command_;
  std::deque<PseudoChannelSignals> pseudo_channels_;
};

}  // namespace podsim::hw::memory::dram
