// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "tests/sw/collectives/patterns/phase_walk.h"

/// Contents of all positions during and after a phase, followed element by element.
namespace podsim::sw::collectives::patterns {

using Contributors = std::uint64_t;  ///< a bit for each position

inline bool owns(const Pattern& pattern, std::int32_t position, std::int64_t element) {
  return element / pattern.chunk() == position;
}

/// Every element ends at the owner of its chunk with the contribution of each position exactly once.
inline PhaseWalk expect_sums(const Pattern& pattern) {
  std::vector<Contributors> sums(std::size_t(pattern.payload()), 0), travelling;
  const auto merge = [](Contributors& into, Contributors added) {
    EXPECT_EQ(into & added, 0U) << "a contribution is added twice";
    into |= added;
  };
  PhaseWalk result = walk(pattern, [&](const Message& message) {
    const ElementRange range = pattern.range(message.segment, message.receiver);
    if (message.first()) travelling.assign(sums.size(), 0);
    ASSERT_GE(range.begin, 0);
    ASSERT_LE(range.begin + range.count, pattern.payload());
    ASSERT_EQ(range.count, pattern.elements(message.segment, message.receiver));
    std::int64_t kept = 0, contributed = 0;
    const bool all = pattern.contributed(message.segment, message.receiver) == range.count;
    for (std::int64_t element = range.begin; element < range.begin + range.count; ++element) {
      Contributors& sum = travelling[std::size_t(element)];
      if (message.first()) merge(sum, Contributors{1} << message.sender);
      EXPECT_NE(sum, 0U) << "an element that no position has sent";
      const bool own = owns(pattern, message.receiver, element);
      if (all || !own) {
        merge(sum, Contributors{1} << message.receiver);
        ++contributed;
      }
      if (!own) continue;
      merge(sums[std::size_t(element)], sum);
      ++kept;
    }
    EXPECT_EQ(contributed, pattern.contributed(message.segment, message.receiver));
    EXPECT_EQ(kept > 0, pattern.ends_here(message.segment, message.receiver));
    if (kept > 0) {
      EXPECT_EQ(kept, pattern.kept(message.segment, message.receiver));
    }
  });
  const Contributors everyone = (Contributors{1} << pattern.positions()) - 1;
  for (Contributors sum : sums) EXPECT_EQ(sum, everyone);
  return result;
}

/// Every position ends with every element, and receives each that it does not own exactly once.
inline PhaseWalk expect_all_gathered(const Pattern& pattern) {
  const auto positions = std::size_t(pattern.positions()), elements = std::size_t(pattern.payload());
  std::vector<std::vector<int>> copies(positions, std::vector<int>(elements, 0));
  PhaseWalk result = walk(pattern, [&](const Message& message) {
    const ElementRange range = pattern.range(message.segment, message.receiver);
    ASSERT_GE(range.begin, 0);
    ASSERT_LE(range.begin + range.count, pattern.payload());
    for (std::int64_t element = range.begin; element < range.begin + range.count; ++element) {
      ++copies[std::size_t(message.receiver)][std::size_t(element)];
      const bool there =
          owns(pattern, message.sender, element) || copies[std::size_t(message.sender)][std::size_t(element)] == 1;
      EXPECT_TRUE(there) << "position " << message.sender << " sends what it does not have";
    }
  });
  for (std::int32_t position = 0; position < pattern.positions(); ++position) {
    for (std::int64_t element = 0; element < pattern.payload(); ++element) {
      EXPECT_EQ(copies[std::size_t(position)][std::size_t(element)], owns(pattern, position, element) ? 0 : 1);
    }
  }
  return result;
}

/// As many segments end at every position as it waits for.
inline void expect_completions(const Pattern& pattern, const PhaseWalk& walk) {
  for (std::int32_t position = 0; position < pattern.positions(); ++position) {
    EXPECT_EQ(walk.ended[std::size_t(position)], pattern.completions(position)) << "position " << position;
  }
}

}  // namespace podsim::sw::collectives::patterns
