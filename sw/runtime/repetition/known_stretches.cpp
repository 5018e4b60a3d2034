// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/repetition/known_stretches.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "sw/runtime/repetition/repeated_segments.h"

namespace podsim::sw::runtime::repetition {
namespace {

/// Maximum number of begins of items that are kept; steps that come later are simulated.
constexpr std::int64_t max_positions = 4'000'000;

/// Equal numbers for items that come after the same items, by item of the first step, then by item of a later one.
std::vector<int> contexts_of(const std::vector<int>& numbers) {
  const int items = int(numbers.size());
  std::map<std::vector<int>, int> known;
  std::vector<int> contexts;
  for (int at = 0; at < 2 * items; ++at) {
    std::vector<int> window;
    for (int back = 0; back < KnownStretches::context; ++back) {
      window.push_back(at - back < 0 ? -1 : numbers[std::size_t((at - back) % items)]);
    }
    contexts.push_back(known.try_emplace(std::move(window), int(known.size())).first->second);
  }
  return contexts;
}

}  // namespace

KnownStretches::KnownStretches(const compiler::Program& program, int steps, std::size_t cores)
    : items_(std::int64_t(program.items.size())), cores_(cores) {
  place_.assign(2 * program.items.size(), -1);
  if (items_ < context || !program.core_sets.empty()) return;
  const std::int64_t end = items_ * std::min<std::int64_t>(steps, max_positions / items_);
  stretch_at_.assign(std::size_t(end), -1);
  begins_.resize(std::size_t(end) + 1);
  find_stretches(numbered_items(program), end);
}

std::size_t KnownStretches::row(std::int64_t position) const {
  return std::size_t(position < items_ ? position : items_ + position % items_);
}

void KnownStretches::find_stretches(const std::vector<int>& numbers, std::int64_t end) {
  const std::vector<int> contexts = contexts_of(numbers);
  std::vector<std::vector<std::int64_t>> sampled(contexts.size());
  std::vector<int> place_of_context(contexts.size(), -1);
  const auto is_known = [&](std::int64_t position) {
    if (numbers[std::size_t(position % items_)] < 0) return false;
    std::vector<std::int64_t>& of_place = sampled[std::size_t(contexts[row(position)])];
    if (of_place.size() == samples) return true;
    of_place.push_back(position);
    return false;
  };
  std::int64_t first = 0;  // of the known items up to here
  for (std::int64_t position = 0; position < end; ++position) {
    const bool known = is_known(position), last = position % items_ == items_ - 1;
    if (known && !last) continue;
    const std::int64_t behind = known ? position + 1 : position;
    for (const Stretch& stretch : layers(first, behind, contexts)) {
      add_stretch(stretch, contexts, sampled, place_of_context);
    }
    first = position + 1;
  }
  std::ranges::transform(contexts, place_.begin(), [&](int number) { return place_of_context[std::size_t(number)]; });
}

/// Known items in a row as stretches. Each ends where one of its `place` numbers recurs.
std::vector<KnownStretches::Stretch> KnownStretches::layers(std::int64_t first, std::int64_t behind,
                                                            const std::vector<int>& contexts) const {
  std::vector<Stretch> found;
  if (behind - first < min_items) return found;
  std::set<int> passed;
  for (std::int64_t at = first; at + min_items <= behind; ++at) {
    const bool again = !passed.insert(contexts[row(at)]).second;
    if (!again || at - first < min_items) continue;
    found.push_back({first, int(at - first)});
    first = at;
    passed = {contexts[row(at)]};
  }
  found.push_back({first, int(behind - first)});
  return found;
}

void KnownStretches::add_stretch(const Stretch& stretch, const std::vector<int>& contexts,
                                 const std::vector<std::vector<std::int64_t>>& sampled,
                                 std::vector<int>& place_of_context) {
  stretch_at_[std::size_t(stretch.first)] = int(stretches_.size());
  stretches_.push_back(stretch);
  decisions_.emplace_back();
  for (std::int64_t position = stretch.first; position < stretch.first + stretch.items; ++position) {
    const auto number = std::size_t(contexts[row(position)]);
    if (place_of_context[number] >= 0) continue;
    place_of_context[number] = int(sampled_.size());
    sampled_.push_back(sampled[number]);
  }
}

int KnownStretches::place(std::int64_t position) const {
  return position + 1 < std::int64_t(begins_.size()) ? place_[row(position)] : -1;
}

void KnownStretches::begins(std::int64_t position, base::Cycles now) {
  if (position >= std::int64_t(begins_.size())) return;
  Begin& begin = begins_[std::size_t(position)];
  begin.sum += now.value();
  ++begin.cores;
}

std::optional<base::Cycles> KnownStretches::duration_from(std::int64_t position) {
  if (position >= std::int64_t(stretch_at_.size()) || stretch_at_[std::size_t(position)] < 0) return std::nullopt;
  const int number = stretch_at_[std::size_t(position)];
  Decision& decision = decisions_[std::size_t(number)];
  if (!decision.is_made) {
    const Stretch& stretch = stretches_[std::size_t(number)];
    decision = {true, decide(stretch)};
    for (std::int64_t at = stretch.first; !decision.duration && at < stretch.first + stretch.items; ++at) {
      sampled_[std::size_t(place_[row(at)])].push_back(at);
    }
  }
  return decision.duration;
}

const KnownStretches::Stretch& KnownStretches::stretch_from(std::int64_t position) const {
  return stretches_[std::size_t(stretch_at_[std::size_t(position)])];
}

std::optional<std::int64_t> KnownStretches::cycles_at(std::int64_t position) const {
  const Begin &begin = begins_[std::size_t(position)], &end = begins_[std::size_t(position) + 1];
  if (begin.cores != cores_ || end.cores != cores_) return std::nullopt;
  return end.sum - begin.sum;
}

std::optional<base::Cycles> KnownStretches::decide(const Stretch& stretch) const {
  std::vector<double> sums;  // over the items, of their last samples, of those before, and so on
  for (std::int64_t position = stretch.first; position < stretch.first + stretch.items; ++position) {
    std::vector<double> cycles;
    for (const std::int64_t sample : sampled_[std::size_t(place_[row(position)])]) {
      if (const auto taken = cycles_at(sample)) cycles.push_back(double(*taken));
    }
    if (cycles.empty()) return std::nullopt;
    cycles.erase(cycles.begin());
    std::ranges::reverse(cycles);
    cycles.resize(std::min(cycles.size(), max_samples));
    if (position == stretch.first) sums.resize(cycles.size());
    sums.resize(std::min(sums.size(), cycles.size()));
    std::ranges::transform(sums, cycles, sums.begin(), std::plus{});
  }
  if (sums.size() + 1 < samples) return std::nullopt;
  const double number = double(sums.size());
  const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / number;
  double squares = 0;
  for (const double sum : sums) squares += (sum - mean) * (sum - mean);
  const double error = std::sqrt(squares / (number * (number - 1)));
  if (error * tolerance > mean) return std::nullopt;
  return base::Cycles(std::llround(mean / double(cores_)));
}

}  // namespace podsim::sw::runtime::repetition
