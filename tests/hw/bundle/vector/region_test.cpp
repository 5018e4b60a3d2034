// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/region.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace podsim::hw::bundle::vector {
namespace {

std::set<std::uint64_t> words_of(const Region& region) {
  std::set<std::uint64_t> words;
  for (std::uint64_t row = 0; row < region.rows; ++row) {
    for (std::uint64_t word = 0; word < region.words; ++word) words.insert(region.row(row) + word);
  }
  return words;
}

Region any_region() {
  return {*rc::gen::inRange<std::uint64_t>(0, 60), *rc::gen::inRange<std::uint64_t>(0, 6),
          *rc::gen::inRange<std::uint64_t>(0, 6), *rc::gen::inRange<std::uint64_t>(0, 12)};
}

RC_GTEST_PROP(Region, TwoOverlapIfAndOnlyIfTheyShareAWord, ()) {
  const Region a = any_region();
  const Region b = any_region();
  const std::set<std::uint64_t> words = words_of(a);
  bool shared = false;
  for (const std::uint64_t word : words_of(b)) shared |= words.contains(word);
  RC_ASSERT(overlap(a, b) == shared);
  RC_ASSERT(overlap(b, a) == shared);
}

RC_GTEST_PROP(Region, EndsBehindItsLastWord, ()) {
  const Region region = any_region();
  const std::set<std::uint64_t> words = words_of(region);
  RC_ASSERT(region.end() == (words.empty() ? region.start : *words.rbegin() + 1));
}

}  // namespace
}  // namespace podsim::hw::bundle::vector
