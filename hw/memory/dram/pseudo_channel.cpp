// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/pseudo_channel.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace podsim::hw::memory::dram {

namespace {

Direction other(Direction direction) { return direction == Direction::read ? Direction::write : Direction::read; }

bool is_column(DramCommand command) {
  return command == DramCommand::read || command == DramCommand::write || command == DramCommand::read_precharge ||
         command == DramCommand::write_precharge;
}

}  // namespace

PseudoChannel::PseudoChannel(const parts::hbm::DramParameters& parameters, int index, DramTimingState& timing)
    : policy_(parameters.policy),
      scheduler_(parts::hbm::custom_scheduler(parameters.policy.scheduler)),
      read_latency_(parameters.timing.cl.value()),
      write_latency_(parameters.timing.cwl.value()),
      burst_clocks_(parameters.organization.burst_clocks.value()),
      refresh_bank_clocks_(parameters.timing.rfc_bank.value()),
      refresh_all_clocks_(parameters.timing.rfc_all.value()),
      index_(index),
      all_banks_(~std::uint64_t(0) >> (64 - parameters.organization.banks())),
      timing_(timing),
      queues_(int(parameters.organization.banks()), parameters.policy.starvation_bound),
      refresh_(parameters),
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
    if (writes == 0 || (drain_left_ <= 0 && reads > 0)) {
      direction_ = Direction::read;
      reads_left_ = reads;
    }
  }
  if (direction_ == Direction::read && writes > 0) {
    const bool due =
        (writes >= policy_.drain_high && reads_left_ <= 0) || overtaken_writes_ >= policy_.starvation_bound;
    if (reads > 0 && !due) return;
    direction_ = Direction::write;
    drain_left_ = std::max<std::int64_t>(writes - policy_.drain_low, 1);
    overtaken_writes_ = 0;
  }
}

std::uint64_t PseudoChannel::banks_to_refresh(std::int64_t clock) const {
  if (clock < refresh_.due()) return 0;
  return policy_.refresh == parts::hbm::RefreshPolicy::per_bank ? bank_bit(refresh_.bank()) : all_banks_;
}

PseudoChannel::Demand PseudoChannel::demand(std::int64_t clock) {
  choose_direction();
  const Direction second = other(direction_);
  const std::uint64_t refresh = banks_to_refresh(clock);
  const std::uint64_t served = queues_.pending(direction_), hits = queues_.hits(direction_);
  const std::uint64_t ahead = queues_.pending(second) & ~queues_.hits(second) & ~served;
  return {direction_, hits & ~refresh, served & ~hits & ~refresh, ahead & ~refresh, refresh};
}

std::int64_t PseudoChannel::next_due(std::int64_t clock) const {
  return refresh_.due() > clock ? refresh_.due() : never;
}

bool PseudoChannel::goes_before(const Candidate& a, const Candidate& b) const {
  if (scheduler_ && a.choice.clock != never && b.choice.clock != never) {
    return scheduler_->before({a.choice.clock, a.sequence, a.choice.bank}, {b.choice.clock, b.sequence, b.choice.bank});
  }
  return a.choice.clock < b.choice.clock || (a.choice.clock == b.choice.clock && a.sequence < b.sequence);
}

PseudoChannel::Candidate PseudoChannel::first_of(std::uint64_t banks, DramCommand command,
                                                 const std::uint64_t* sequences, std::int64_t clock) const {
  if (banks == 0) return {};
  const std::int64_t* of_banks = timing_.of_banks(command, index_);
  const std::int64_t* of_groups = timing_.of_groups(command, index_);
  clock = std::max({clock, timing_.of_channel(command), timing_.of_pseudo_channel(command, index_)});
  const auto earliest_of = [&](int bank) {
    return std::max({clock, of_banks[bank], of_groups[timing_.group_of(bank)]});
  };
  if (scheduler_) {
    Candidate best;
    for (; banks != 0; banks &= banks - 1) {
      const int bank = std::countr_zero(banks);
      const Candidate one{{earliest_of(bank), command, bank}, sequences[bank]};
      if (goes_before(one, best)) best = one;
    }
    return best;
  }
  std::int64_t first = never;
  std::uint64_t oldest = 0;
  int best = 0;
  for (; banks != 0; banks &= banks - 1) {
    const int bank = std::countr_zero(banks);
    const std::int64_t earliest = earliest_of(bank);
    // Without a branch, since it would be mispredicted often.
    const bool better = (earliest < first) | ((earliest == first) & (sequences[bank] < oldest));
    first = better ? earliest : first;
    oldest = better ? sequences[bank] : oldest;
    best = better ? bank : best;
  }
  return {{first, command, best}, oldest};
}

PseudoChannel::Choice PseudoChannel::column_choice(const Demand& demand, std::int64_t clock) const {
  const DramCommand command = direction_ == Direction::read ? DramCommand::read : DramCommand::write;
  Choice choice = first_of(demand.columns, command, queues_.hit(direction_), clock).choice;
  if (choice.clock != never && policy_.page == parts::hbm::PagePolicy::closed &&
      queues_.last_of_row(direction_, choice.bank)) {
    choice.command = direction_ == Direction::read ? DramCommand::read_precharge : DramCommand::write_precharge;
  }
  return choice;
}

PseudoChannel::Choice PseudoChannel::refresh_choice(std::int64_t clock) const {
  const bool per_bank = policy_.refresh == parts::hbm::RefreshPolicy::per_bank;
  const int bank = refresh_.bank();
  const bool closed = (queues_.open_banks() & (per_bank ? bank_bit(bank) : all_banks_)) == 0;
  const DramCommand command = per_bank ? (closed ? DramCommand::refresh_bank : DramCommand::precharge)
                                       : (closed ? DramCommand::refresh_all : DramCommand::precharge_all);
  return {std::max(clock, timing_.earliest(command, target(bank))), command, bank};
}

/// The best precharge or activate for banks in which no burst of this direction can move.
PseudoChannel::Candidate PseudoChannel::row_candidate(Direction direction, std::uint64_t banks,
                                                      std::int64_t clock) const {
  const std::uint64_t open = queues_.open_banks();
  const Candidate closing = first_of(banks & open, DramCommand::precharge, queues_.oldest(direction), clock);
  const Candidate opening = first_of(banks & ~open, DramCommand::activate, queues_.oldest(direction), clock);
  return goes_before(closing, opening) ? closing : opening;
}

PseudoChannel::Choice PseudoChannel::row_choice(const Demand& demand, std::int64_t clock) const {
  Choice best = demand.refresh != 0 ? refresh_choice(clock) : Choice{};
  const Choice served = row_candidate(direction_, demand.rows, clock).choice;
  if (served.clock < best.clock) best = served;
  const Choice ahead = row_candidate(other(direction_), demand.rows_ahead, clock).choice;
  return ahead.clock < best.clock ? ahead : best;
}

std::optional<PseudoChannel::Issued> PseudoChannel::issue(const Choice& choice) {
  if (is_column(choice.command)) return move(choice, direction_);
  timing_.issue(choice.command, target(choice.bank), choice.clock);
  if (choice.command == DramCommand::activate) {
    const bool served = (queues_.pending(direction_) & bank_bit(choice.bank)) != 0;
    queues_.open(choice.bank, queues_.oldest_row(served ? direction_ : other(direction_), choice.bank));
    ++activates_;
  } else if (choice.command == DramCommand::precharge) {
    queues_.close(choice.bank);
  } else if (choice.command == DramCommand::precharge_all) {
    for (std::uint64_t open = queues_.open_banks(); open != 0; open &= open - 1) queues_.close(std::countr_zero(open));
  } else {
    refreshed(choice);
    refresh_.done();
    ++refreshes_;
  }
  return std::nullopt;
}

void PseudoChannel::refreshed(const Choice& choice) {
  if (choice.command == DramCommand::refresh_bank) {
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
  timing_.issue(choice.command, target(choice.bank), choice.clock);
  const Issued issued{queues_.take(direction, choice.bank), data_end_, direction};
  if (choice.command == DramCommand::read_precharge || choice.command == DramCommand::write_precharge)
    queues_.close(choice.bank);
  ++bursts_;
  if (direction == Direction::write) {
    --drain_left_;
  } else {
    --reads_left_;
    if (queues_.bursts(Direction::write) > 0) ++overtaken_writes_;
  }
  return issued;
}

/// Divides the gap before the burst of a column command that is about to be issued among the shares.
void PseudoChannel::account(int bank, Direction direction, std::int64_t clock) {
  const DramCommand command = direction == Direction::read ? DramCommand::read : DramCommand::write;
  const std::int64_t ahead = latency(direction);
  const std::int64_t of_pins = timing_.of_pseudo_channel(command, index_);
  const std::int64_t of_group = timing_.of_groups(command, index_)[timing_.group_of(bank)];
  std::int64_t covered = data_end_ - ahead;  // the clock of a command that leaves no gap
  const auto give = [&](BusShare share, std::int64_t until) {
    until = std::min(until, clock);
    if (until <= covered) return;
    shares_.of(share) += base::Cycles(until - covered);
    covered = until;
  };
  if (clock > covered) {
    const bool turned = direction != last_direction_;
    give(BusShare::idle, waiting_since_);
    if (turned) give(BusShare::turnaround, std::max(of_pins, of_group));
    give(BusShare::refresh, refresh_end_[std::size_t(bank)]);
    give(BusShare::row, timing_.of_banks(command, index_)[bank]);
    give(BusShare::bank_group, of_group);
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

}  // namespace podsim::hw::memory::dram
