// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/direction.h"

namespace podsim::hw::memory::dram {

/// The bit of a bank where a word has a bit per bank.
constexpr std::uint64_t bank_bit(int bank) { return std::uint64_t(1) << bank; }

/// The bursts that wait in one pseudo-channel, in one list per direction and bank in order of arrival. The hit of a
/// list is its oldest entry for the open row of the bank, and is kept up to date. An entry holds bursts of one request
/// in one row.
///
/// A hit may pass older entries of its bank, but no more than starvation_bound bursts may pass the oldest: after that
/// the bank has no hit in that direction until the oldest entry is one. Banks with entries and banks with hits are kept
/// as bit masks.
class BankQueues {
 public:
  static constexpr std::int64_t no_row = -1;

  BankQueues(int banks, std::int64_t starvation_bound);

  /// A smaller `sequence` is older.
  void push(Direction direction, int bank, std::int64_t row, std::int64_t bursts, std::uint32_t request,
            std::uint64_t sequence);
  void open(int bank, std::int64_t row);
  void close(int bank);
  std::int64_t open_row(int bank) const { return banks_[std::size_t(bank)].row; }

  std::int64_t bursts(Direction direction) const { return bursts_[std::size_t(direction)]; }
  std::uint64_t pending(Direction direction) const { return pending_[std::size_t(direction)]; }  ///< a bit per bank
  std::uint64_t hits(Direction direction) const { return hits_[std::size_t(direction)]; }        ///< a bit per bank
  std::uint64_t open_banks() const { return open_; }                                             ///< a bit per bank
  /// Sequence number of the oldest entry, and of the hit, by bank. Valid only for banks that have one.
  const std::uint64_t* oldest(Direction direction) const { return oldest_[std::size_t(direction)].data(); }
  const std::uint64_t* hit(Direction direction) const { return hit_[std::size_t(direction)].data(); }
  std::int64_t oldest_row(Direction direction, int bank) const { return entries_[list(direction, bank).first].row; }
  /// Returns whether one burst, that of the hit, is the last that waits for the bank's open row.
  bool last_of_row(Direction direction, int bank) const;

  /// Removes one burst of the hit and returns its request.
  std::uint32_t take(Direction direction, int bank);

 private:
  static constexpr std::uint32_t none = 0;  ///< entry 0 is never used
  static constexpr std::size_t max_banks = 64;

  struct Entry {
    std::int64_t row = 0;
    std::uint64_t sequence = 0;
    std::int32_t bursts = 0;  ///< bursts left
    std::uint32_t request = 0;
    std::uint32_t next = 0, previous = 0;
  };
  struct List {
    std::uint32_t first = none, last = none;
    std::uint32_t hit = none;
    std::int64_t overtaken = 0;  ///< bursts that have passed the first entry
  };
  struct Bank {
    std::int64_t row = no_row;
    std::array<List, 2> lists;
  };

  const List& list(Direction direction, int bank) const {
    return banks_[std::size_t(bank)].lists[std::size_t(direction)];
  }
  std::uint32_t allocate();
  void remove(Direction direction, int bank, std::uint32_t index);
  std::uint32_t find_hit(std::uint32_t from, std::int64_t row) const;
  void find_hit(Direction direction, int bank, std::uint32_t from);

  std::int64_t starvation_bound_;
  std::vector<Bank> banks_;
  std::vector<Entry> entries_;
  std::uint32_t free_ = none;
  std::array<std::int64_t, 2> bursts_{};
  std::array<std::uint64_t, 2> pending_{}, hits_{};
  std::uint64_t open_ = 0;
  std::array<std::array<std::uint64_t, max_banks>, 2> oldest_{}, hit_{};  ///< sequence numbers, by bank
};

}  // namespace podsim::hw::memory::dram
