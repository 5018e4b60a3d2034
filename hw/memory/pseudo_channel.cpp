// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/pseudo_channel.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace podsim::hw {

namespace {

using enum DramCommand;

std::uint64_t bit(int bank) { return std::uint64_t(1) << bank; }

Direction other(Direction direction) { return direction == Direction::read ? Direction::write : Direction::read; }

bool is_column(DramCommand command) {
  return command == read || command == write || command == read_precharge || command == write_precharge;
}

template <class Visit>
void for_each_bank(std::uint64_t banks, Visit visit) {
  for (; banks != 0; banks &= banks - 1) visit(std::countr_zero(banks));
}

/// The first possible command; of several, the oldest.
class Best {
 public:
  void consider(std::int64_t clock, std::uint64_t sequence, DramCommand command, int bank) {
    if (clock > choice_.clock || (clock == choice_.clock && sequence >= sequence_)) return;
    choice_ = {clock, command, bank};
    sequence_ = sequence;
  }
  const PseudoChannel::Choice& choice() const { return choice_; }

 private:
  PseudoChannel::Choice choice_;
  std::uint64_t sequence_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace

PseudoChannel::PseudoChannel(const DramParameters& parameters, int index, std::int64_t refresh_phase,
                             DramTimingState& timing)
    : policy_(parameters.policy),
      read_latency_(parameters.timing.cl.value()),
      write_latency_(parameters.timing.cwl.value()),
      burst_clocks_(parameters.organization.burst_clocks.value()),
      refresh_bank_clocks_(parameters.timing.rfc_bank.value()),
      refresh_all_clocks_(parameters.timing.rfc_all.value()),
      index_(index),
      all_banks_(~std::uint64_t(0) >> (64 - parameters.organization.banks())),
      timing_(timing),
      queues_(int(parameters.organization.banks()), parameters.policy.starvation_bound),
      refresh_(parameters, refresh_phase),
      refresh_end_(std::size_t(parameters.organization.banks())) {}

std::int64_t PseudoChannel::room(Direction direction) const {
  return (direction == Direction::read ? policy_.read_queue : policy_.write_queue) - queues_.bursts(direction);
}

void PseudoChannel::push(Direction direction, const DramPart& part, std::uint32_t request, std::uint64_t sequence,
                         std::int64_t clock) {
  if (empty()) waiting_since_ = clock;
  queues_.push(direction, part.bank, part.row, part.bursts, request, sequence);
}

void PseudoChannel::choose_direction() {
  const std::int64_t reads = queues_.bursts(Direction::read), writes = queues_.bursts(Direction::write);
  if (direction_ == Direction::write) {
    if (writes == 0 || (drain_left_ <= 0 && reads > 0)) direction_ = Direction::read;
  }
  if (direction_ == Direction::read && writes > 0) {
    if (writes < policy_.drain_high && reads > 0 && overtaken_writes_ < policy_.starvation_bound) return;
    direction_ = Direction::write;
    drain_left_ = std::max<std::int64_t>(writes - policy_.drain_low, 1);
    overtaken_writes_ = 0;
  }
}

std::uint64_t PseudoChannel::blocked_banks(std::int64_t clock) const {
  if (clock < refresh_.due()) return 0;
  return policy_.refresh == RefreshPolicy::per_bank ? bit(refresh_.bank()) : all_banks_;
}

std::int64_t PseudoChannel::next_due(std::int64_t clock) const {
  return refresh_.due() > clock ? refresh_.due() : never;
}

PseudoChannel::Choice PseudoChannel::column_choice(std::int64_t clock) const {
  const DramCommand command = direction_ == Direction::read ? read : write;
  const std::int64_t common =
      std::max({clock, timing_.of_channel(command), timing_.of_pseudo_channel(index_, command)});
  Best best;
  for_each_bank(queues_.hits(direction_) & ~blocked_banks(clock), [&](int bank) {
    const DramPlace at = place(bank);
    const std::int64_t earliest = std::max(timing_.of_group(at.group, command), timing_.of_bank(at.bank, command));
    best.consider(std::max(common, earliest), queues_.hit(direction_, bank).sequence, command, bank);
  });
  Choice choice = best.choice();
  if (choice.clock != never && policy_.page == PagePolicy::closed && queues_.last_of_row(direction_, choice.bank)) {
    choice.command = direction_ == Direction::read ? read_precharge : write_precharge;
  }
  return choice;
}

PseudoChannel::Choice PseudoChannel::refresh_choice(std::int64_t clock) const {
  const bool per_bank = policy_.refresh == RefreshPolicy::per_bank;
  const int bank = refresh_.bank();
  const bool closed = (queues_.open_banks() & (per_bank ? bit(bank) : all_banks_)) == 0;
  const DramCommand command = per_bank ? (closed ? refresh_bank : precharge) : (closed ? refresh_all : precharge_all);
  return {std::max(clock, timing_.earliest(command, place(bank))), command, bank};
}

PseudoChannel::Choice PseudoChannel::row_choice(std::int64_t clock) const {
  const std::uint64_t blocked = blocked_banks(clock);
  Choice first = blocked != 0 ? refresh_choice(clock) : Choice{};
  std::uint64_t before = blocked;
  for (const Direction direction : {direction_, other(direction_)}) {
    Best best;
    const std::uint64_t pending = queues_.pending(direction) & ~before;
    for_each_bank(pending & ~queues_.hits(direction), [&](int bank) {
      const DramCommand command = queues_.open_row(bank) == BankQueues::no_row ? activate : precharge;
      best.consider(std::max(clock, timing_.earliest(command, place(bank))), queues_.oldest(direction, bank).sequence,
                    command, bank);
    });
    if (best.choice().clock < first.clock) first = best.choice();
    before |= pending;
  }
  return first;
}

std::optional<PseudoChannel::Issued> PseudoChannel::issue(const Choice& choice) {
  if (is_column(choice.command)) return move(choice, direction_);
  timing_.issue(choice.command, place(choice.bank), choice.clock);
  if (choice.command == activate) {
    const bool served = (queues_.pending(direction_) & bit(choice.bank)) != 0;
    queues_.open(choice.bank, queues_.oldest(served ? direction_ : other(direction_), choice.bank).row);
    ++activates_;
  } else if (choice.command == precharge) {
    queues_.close(choice.bank);
  } else if (choice.command == precharge_all) {
    for_each_bank(queues_.open_banks(), [&](int bank) { queues_.close(bank); });
  } else {
    refreshed(choice);
    refresh_.done();
    ++refreshes_;
  }
  return std::nullopt;
}

void PseudoChannel::refreshed(const Choice& choice) {
  if (choice.command == refresh_bank) {
    refresh_end_[std::size_t(choice.bank)] = choice.clock + refresh_bank_clocks_;
  } else {
    std::ranges::fill(refresh_end_, choice.clock + refresh_all_clocks_);
  }
}

std::int64_t PseudoChannel::latency(Direction direction) const {
  return direction == Direction::read ? read_latency_ : write_latency_;
}

PseudoChannel::Issued PseudoChannel::move(const Choice& choice, Direction direction) {
  account(choice.bank, direction, choice.clock);
  timing_.issue(choice.command, place(choice.bank), choice.clock);
  const Issued issued{queues_.take(direction, choice.bank), data_end_, direction};
  if (choice.command == read_precharge || choice.command == write_precharge) queues_.close(choice.bank);
  ++bursts_;
  if (direction == Direction::write) {
    --drain_left_;
  } else if (queues_.bursts(Direction::write) > 0) {
    ++overtaken_writes_;
  }
  return issued;
}

/// Divides the gap before the burst of a column command that is about to be issued.
void PseudoChannel::account(int bank, Direction direction, std::int64_t clock) {
  const DramCommand command = direction == Direction::read ? read : write;
  const std::int64_t ahead = latency(direction);
  const DramPlace at = place(bank);
  std::int64_t covered = data_end_ - ahead;  // in terms of commands: no gap if the command had come then
  const auto give = [&](BusShare share, std::int64_t until) {
    until = std::min(until, clock);
    if (until <= covered) return;
    shares_.of(share) += base::Cycles(until - covered);
    covered = until;
  };
  if (clock > covered) {
    const bool turned = direction != last_direction_;
    give(BusShare::idle, waiting_since_);
    if (turned) give(BusShare::turnaround, timing_.of_pseudo_channel(index_, command));
    if (turned) give(BusShare::turnaround, timing_.of_group(at.group, command));
    give(BusShare::refresh, refresh_end_[std::size_t(bank)]);
    give(BusShare::row, timing_.of_bank(at.bank, command));
    give(BusShare::bank_group, timing_.of_group(at.group, command));
    give(BusShare::command_bus, clock);
  }
  shares_.of(direction == Direction::read ? BusShare::read : BusShare::write) += base::Cycles(burst_clocks_);
  data_end_ = clock + ahead + burst_clocks_;
  last_direction_ = direction;
}

void PseudoChannel::skip_idle_rounds(std::int64_t clock) {
  assert(empty());
  refresh_.skip_rounds(clock);
}

BusShares PseudoChannel::shares(std::int64_t clock) const {
  BusShares shares = shares_;
  if (empty() && clock > data_end_) shares.of(BusShare::idle) += base::Cycles(clock - data_end_);
  return shares;
}

}  // namespace podsim::hw
