// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/bank_queues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

namespace podsim::hw::memory::dram {
namespace {

constexpr Direction directions[] = {Direction::read, Direction::write};

// A reference that searches plain lists.
class PlainQueues {
 public:
  struct Entry {
    std::int64_t row, bursts;
    std::uint32_t request;
    std::uint64_t sequence;
  };
  explicit PlainQueues(std::int64_t bound) : bound_(bound) {}

  std::list<Entry>& list(Direction direction, int bank) { return lists[std::size_t(direction)][std::size_t(bank)]; }
  std::list<Entry>::iterator hit(Direction direction, int bank) {
    auto& entries = list(direction, bank);
    const auto found = std::ranges::find_if(entries, [&](const Entry& e) { return e.row == rows[std::size_t(bank)]; });
    const bool passes = found != entries.begin();
    return passes && overtaken_[std::size_t(direction)][std::size_t(bank)] >= bound_ ? entries.end() : found;
  }
  std::uint32_t take(Direction direction, int bank) {
    const auto entry = hit(direction, bank);
    auto& overtaken = overtaken_[std::size_t(direction)][std::size_t(bank)];
    overtaken = entry == list(direction, bank).begin() ? 0 : overtaken + 1;
    const std::uint32_t request = entry->request;
    if (--entry->bursts == 0) list(direction, bank).erase(entry);
    return request;
  }

  std::list<Entry> lists[2][4];
  std::int64_t rows[4] = {-1, -1, -1, -1};

 private:
  std::int64_t bound_;
  std::int64_t overtaken_[2][4] = {};
};

TEST(BankQueues, SayWhatListsThatAreLookedThroughSay) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    const std::int64_t bound = 1 + random() % 5;
    BankQueues queues(4, bound);
    PlainQueues plain(bound);
    for (std::uint64_t step = 0; step < 500; ++step) {
      const int bank = int(random() % 4);
      const Direction direction = directions[random() % 2];
      const std::int64_t row = random() % 3;
      if (const unsigned action = random() % 4; action == 0) {
        const std::int64_t bursts = 1 + random() % 4;
        queues.push(direction, bank, row, bursts, std::uint32_t(step), step);
        plain.list(direction, bank).push_back({row, bursts, std::uint32_t(step), step});
      } else if (action == 1) {
        if (queues.open_row(bank) != BankQueues::no_row) {
          queues.close(bank);
          plain.rows[bank] = -1;
        } else {
          queues.open(bank, row);
          plain.rows[bank] = row;
        }
      } else if ((queues.hits(direction) >> bank & 1) != 0) {
        ASSERT_EQ(queues.take(direction, bank), plain.take(direction, bank)) << "seed " << seed;
      }
      for (const Direction d : directions) {
        std::int64_t bursts = 0;
        for (int b = 0; b < 4; ++b) {
          const auto& list = plain.list(d, b);
          const auto hit = plain.hit(d, b);
          for (const PlainQueues::Entry& entry : list) bursts += entry.bursts;
          ASSERT_EQ(queues.pending(d) >> b & 1, list.empty() ? 0u : 1u);
          ASSERT_EQ(queues.hits(d) >> b & 1, hit == list.end() ? 0u : 1u) << "seed " << seed << " step " << step;
          if (!list.empty()) {
            ASSERT_EQ(queues.oldest(d)[b], list.front().sequence);
            ASSERT_EQ(queues.oldest_row(d, b), list.front().row);
          }
          if (hit != list.end()) {
            ASSERT_EQ(queues.hit(d)[b], hit->sequence);
          }
        }
        ASSERT_EQ(queues.bursts(d), bursts);
      }
    }
  }
}

TEST(BankQueues, TheLastBurstForAnOpenRowIsKnown) {
  BankQueues queues(4, 100);
  queues.push(Direction::read, 0, 7, 2, 0, 0);
  queues.push(Direction::read, 0, 8, 1, 1, 1);
  queues.open(0, 7);
  EXPECT_FALSE(queues.last_of_row(Direction::read, 0));
  queues.take(Direction::read, 0);
  EXPECT_TRUE(queues.last_of_row(Direction::read, 0));
  queues.push(Direction::write, 0, 7, 1, 2, 2);
  EXPECT_FALSE(queues.last_of_row(Direction::read, 0));
}

}  // namespace
}  // namespace podsim::hw::memory::dram
