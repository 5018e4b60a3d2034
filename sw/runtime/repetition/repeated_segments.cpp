// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/repetition/repeated_segments.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace podsim::sw::runtime::repetition {
namespace {

constexpr int min_trips = 5;
constexpr int longest_period = 4096;  ///< items of a layer; bounds the search in a long program

bool in_loop(const compiler::Program& program, int item) {
  return std::ranges::any_of(program.loops,
                             [&](const compiler::Loop& loop) { return loop.first <= item && item < loop.end; });
}

bool has_collective(const compiler::Program& program, const RepeatedSegment& segment) {
  const auto first = program.items.begin() + segment.first;
  return std::any_of(first, first + segment.period, [](const compiler::ProgramItem& item) {
    return item.kind == compiler::ProgramItem::Kind::collective;
  });
}

/// All longest segments, of every period.
std::vector<RepeatedSegment> candidates(const compiler::Program& program, const std::vector<int>& numbers) {
  const int items = int(numbers.size());
  std::vector<RepeatedSegment> found;
  for (int period = 1; period <= longest_period && period * min_trips <= items; ++period) {
    int first = 0;  // of the items that equal the one a period later
    for (int item = 0; item + period <= items; ++item) {
      if (item + period < items && numbers[std::size_t(item)] == numbers[std::size_t(item + period)]) continue;
      const RepeatedSegment segment{.first = first, .period = period, .trips = (item - first) / period + 1};
      first = item + 1;
      if (segment.trips >= min_trips && has_collective(program, segment)) found.push_back(segment);
    }
  }
  return found;
}

using Contents = std::map<std::vector<int>, int>;

/// Numbers a segment by its items. One whose layers begin at another of their items begins a part of a layer later.
RepeatedSegment with_content(RepeatedSegment segment, const std::vector<int>& numbers, Contents& contents) {
  const auto items = [&](int shift) {
    const auto first = numbers.begin() + segment.first + shift;
    return std::vector<int>(first, first + segment.period);
  };
  for (int shift = 0; shift < segment.period; ++shift) {
    const auto known = contents.find(items(shift));
    if (known == contents.end()) continue;
    segment.first += shift;
    segment.trips -= shift > 0 ? 1 : 0;
    segment.content = known->second;
    return segment;
  }
  segment.content = int(contents.size());
  contents.emplace(items(0), segment.content);
  return segment;
}

}  // namespace

std::vector<int> numbered_items(const compiler::Program& program) {
  std::vector<int> numbers;
  std::map<std::tuple<compiler::ProgramItem::Kind, int, int>, int> known;
  int next = 0;
  for (const compiler::ProgramItem& item : program.items) {
    const bool executes =
        item.kind == compiler::ProgramItem::Kind::op || item.kind == compiler::ProgramItem::Kind::collective;
    if (!executes || item.phase != hlo::AsyncPhase::none || in_loop(program, int(numbers.size()))) {
      numbers.push_back(-1 - int(numbers.size()));
      continue;
    }
    const auto [at, is_new] = known.try_emplace({item.kind, item.index, item.cores}, next);
    if (is_new) ++next;
    numbers.push_back(at->second);
  }
  return numbers;
}

std::vector<RepeatedSegment> repeated_segments(const compiler::Program& program) {
  if (program.collectives.empty()) return {};
  const std::vector<int> numbers = numbered_items(program);
  std::vector<RepeatedSegment> found = candidates(program, numbers);
  const auto saved = [](const RepeatedSegment& segment) { return (segment.trips - min_trips + 1) * segment.period; };
  std::ranges::stable_sort(found,
                           [&](const RepeatedSegment& a, const RepeatedSegment& b) { return saved(a) > saved(b); });
  std::vector<RepeatedSegment> taken;
  Contents contents;
  for (const RepeatedSegment& segment : found) {
    const bool is_free = std::ranges::none_of(taken, [&](const RepeatedSegment& other) {
      return segment.first < other.end() && other.first < segment.end();
    });
    if (is_free) taken.push_back(with_content(segment, numbers, contents));
  }
  std::ranges::sort(taken, {}, &RepeatedSegment::first);
  return taken;
}

}  // namespace podsim::sw::runtime::repetition
