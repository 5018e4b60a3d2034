// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/memory/channel_controller.h"
#include "hw/trace.h"

namespace podsim::hw {

/// Changes of signals, kept until time has passed them: data follow their command, and a command is decided when time
/// moves past its clock.
class PendingChanges {
 public:
  void add(base::Probe<std::string>& probe, base::Cycles clock, std::string text);
  void add(base::Probe<std::int64_t>& probe, base::Cycles clock, std::int64_t value);
  /// The clock of the first one; nothing when there is none.
  std::optional<base::Cycles> first() const;
  /// Shows those of clocks before `clock`, in the order of clocks, at the time that `time_of` gives.
  void show_until(base::Cycles clock, const std::function<base::Time(base::Cycles)>& time_of);

 private:
  struct Change {
    base::Cycles clock;
    base::Probe<std::string>* text = nullptr;  ///< one of the two
    base::Probe<std::int64_t>* number = nullptr;
    std::string shown;
    std::int64_t value = 0;
  };
  using Changes = std::vector<Change>;
  static bool overtaken(Changes::const_iterator change, Changes::const_iterator end);

  Changes changes_;
};

/// Shows what a channel does: the commands on its two buses, and per pseudo-channel what the data pins carry, the
/// bursts that wait in the queues, and every bank's state, "row 17", "closed", "refresh".
class ChannelTrace : public CommandObserver {
 public:
  /// To be attached to the controller by observe(). Changes go to `changes`, which outlives it, first those to the
  /// state at clock zero.
  ChannelTrace(const ChannelController& controller, const DramParameters& parameters, const Trace& trace,
               PendingChanges& changes);

  void issued(DramCommand command, const DramPlace& place, std::int64_t row, base::Cycles clock) override;

 private:
  struct PseudoChannelSignals {
    PseudoChannelSignals(const DramOrganization& organization, const Trace& trace);
    base::Probe<std::string> data;
    base::Probe<std::int64_t> reads, writes;
    std::deque<base::Probe<std::string>> banks;
  };

  std::string text(DramCommand command, const DramPlace& place, std::int64_t row) const;
  void show_banks(DramCommand command, const DramPlace& place, std::int64_t row, base::Cycles clock);
  void show_refresh(base::Probe<std::string>& bank, base::Cycles clock, base::Cycles duration);
  void show_data(DramCommand command, const DramPlace& place, base::Cycles clock);
  void show_queues(int number, base::Cycles clock);

  const ChannelController& controller_;
  const DramParameters parameters_;
  PendingChanges& changes_;
  base::Probe<std::string> row_command_, column_command_;
  std::deque<PseudoChannelSignals> pseudo_channels_;
};

}  // namespace podsim::hw
