// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/bank_queues.h"

#include <cassert>

namespace podsim::hw::memory::dram {

BankQueues::BankQueues(int banks, std::int64_t starvation_bound)
    : starvation_bound_(starvation_bound), banks_(std::size_t(banks)), entries_(1) {
  assert(std::size_t(banks) <= max_banks);
}

std::uint32_t BankQueues::allocate() {
  if (free_ == none) {
    entries_.emplace_back();
    return std::uint32_t(entries_.size() - 1);
  }
  const std::uint32_t index = free_;
  free_ = entries_[index].next;
  return index;
}

void BankQueues::push(Direction direction, int bank, std::int64_t row, std::int64_t bursts, std::uint32_t request,
                      std::uint64_t sequence) {
  const std::uint32_t index = allocate();
  List& list = banks_[std::size_t(bank)].lists[std::size_t(direction)];
  entries_[index] = {row, sequence, std::int32_t(bursts), request, none, list.last};
  if (list.first == none) {
    list.first = index;
    oldest_[std::size_t(direction)][std::size_t(bank)] = sequence;
  } else {
    entries_[list.last].next = index;
  }
  list.last = index;
  bursts_[std::size_t(direction)] += bursts;
  pending_[std::size_t(direction)] |= bank_bit(bank);
  const bool may_pass = list.first == index || list.overtaken < starvation_bound_;
  if (list.hit == none && row == banks_[std::size_t(bank)].row && may_pass) {
    list.hit = index;
    hits_[std::size_t(direction)] |= bank_bit(bank);
    hit_[std::size_t(direction)][std::size_t(bank)] = sequence;
  }
}

void BankQueues::open(int bank, std::int64_t row) {
  assert(open_row(bank) == no_row);
  banks_[std::size_t(bank)].row = row;
  open_ |= bank_bit(bank);
  find_hit(Direction::read, bank, list(Direction::read, bank).first);
  find_hit(Direction::write, bank, list(Direction::write, bank).first);
}

void BankQueues::close(int bank) {
  banks_[std::size_t(bank)].row = no_row;
  open_ &= ~bank_bit(bank);
  for (const std::size_t direction : {0, 1}) {
    banks_[std::size_t(bank)].lists[direction].hit = none;
    hits_[direction] &= ~bank_bit(bank);
  }
}

std::uint32_t BankQueues::find_hit(std::uint32_t from, std::int64_t row) const {
  while (from != none && entries_[from].row != row) from = entries_[from].next;
  return from;
}

void BankQueues::find_hit(Direction direction, int bank, std::uint32_t from) {
  List& list = banks_[std::size_t(bank)].lists[std::size_t(direction)];
  list.hit = find_hit(from, open_row(bank));
  if (list.hit != list.first && list.overtaken >= starvation_bound_) list.hit = none;
  std::uint64_t& hits = hits_[std::size_t(direction)];
  hits = list.hit == none ? hits & ~bank_bit(bank) : hits | bank_bit(bank);
  hit_[std::size_t(direction)][std::size_t(bank)] = entries_[list.hit].sequence;
}

bool BankQueues::last_of_row(Direction direction, int bank) const {
  const Entry& entry = entries_[list(direction, bank).hit];
  const Direction other = direction == Direction::read ? Direction::write : Direction::read;
  return entry.bursts == 1 && find_hit(entry.next, entry.row) == none &&
         find_hit(list(other, bank).first, entry.row) == none;
}

std::uint32_t BankQueues::take(Direction direction, int bank) {
  List& list = banks_[std::size_t(bank)].lists[std::size_t(direction)];
  assert(list.hit != none);
  const std::uint32_t index = list.hit;
  Entry& entry = entries_[index];
  const std::uint32_t request = entry.request;
  list.overtaken = index == list.first ? 0 : list.overtaken + 1;
  --bursts_[std::size_t(direction)];
  if (--entry.bursts == 0) {
    const std::uint32_t next = entry.next;
    remove(direction, bank, index);
    find_hit(direction, bank, next);
  } else if (list.overtaken >= starvation_bound_) {
    find_hit(direction, bank, index);
  }
  return request;
}

void BankQueues::remove(Direction direction, int bank, std::uint32_t index) {
  List& list = banks_[std::size_t(bank)].lists[std::size_t(direction)];
  Entry& entry = entries_[index];
  (entry.previous == none ? list.first : entries_[entry.previous].next) = entry.next;
  (entry.next == none ? list.last : entries_[entry.next].previous) = entry.previous;
  if (list.first == none) pending_[std::size_t(direction)] &= ~bank_bit(bank);
  oldest_[std::size_t(direction)][std::size_t(bank)] = entries_[list.first].sequence;
  entry.next = free_;
  free_ = index;
}

}  // namespace podsim::hw::memory::dram
