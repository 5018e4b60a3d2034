// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/point_queue.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace podsim::studies::plan {
namespace {

constexpr std::size_t min_groups_per_part = 4;

bool is_of_network(std::string_view assignment) {
  return assignment.starts_with("ici.") || assignment.starts_with("host.") || assignment.starts_with("input.") ||
         assignment.starts_with("job.") || assignment.starts_with("faults.");
}

/// The group of every point, numbered by first appearance.
std::vector<std::size_t> group_numbers(const std::vector<std::string>& keys) {
  std::unordered_map<std::string_view, std::size_t> numbers;
  std::vector<std::size_t> groups;
  for (const std::string& key : keys) groups.push_back(numbers.emplace(key, numbers.size()).first->second);
  return groups;
}

}  // namespace

PointQueue::PointQueue(const std::vector<std::string>& program_keys) : left_(program_keys.size()) {
  const std::vector<std::size_t> numbers = group_numbers(program_keys);
  for (std::size_t point = 0; point < numbers.size(); ++point) {
    groups_.resize(std::max(groups_.size(), numbers[point] + 1));
    groups_[numbers[point]].points.push_back(point);
  }
}

std::size_t PointQueue::choose(std::optional<std::size_t> group) const {
  if (group && !groups_[*group].points.empty()) return *group;
  const auto fresh = std::ranges::find_if(groups_, [](const Group& g) { return !g.begun && !g.points.empty(); });
  if (fresh != groups_.end()) return std::size_t(fresh - groups_.begin());
  const auto largest = std::ranges::max_element(groups_, {}, [](const Group& g) { return g.points.size(); });
  return std::size_t(largest - groups_.begin());
}

std::optional<PointQueue::Next> PointQueue::next(std::optional<std::size_t> group) {
  if (empty()) return std::nullopt;
  const std::size_t chosen = choose(group);
  Group& from = groups_[chosen];
  const std::size_t point = from.points.front();
  from.points.pop_front();
  from.begun = true;
  --left_;
  return Next{point, chosen};
}

void PointQueue::put_back(const Next& taken) {
  groups_[taken.group].points.push_front(taken.point);
  ++left_;
}

std::vector<std::size_t> points_of_part(const std::vector<std::string>& program_keys, std::size_t part,
                                        std::size_t parts) {
  const std::vector<std::size_t> groups = group_numbers(program_keys);
  const std::size_t count = groups.empty() ? 0 : *std::ranges::max_element(groups) + 1;
  const bool whole_groups = count >= min_groups_per_part * parts;
  std::vector<std::size_t> points;
  for (std::size_t point = 0; point < groups.size(); ++point) {
    if ((whole_groups ? groups[point] : point) % parts == part) points.push_back(point);
  }
  return points;
}

std::string program_key(const std::vector<std::string>& arguments) {
  std::string key;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--set" && i + 1 < arguments.size() && is_of_network(arguments[i + 1])) {
      ++i;
    } else {
      key += arguments[i] + '\n';
    }
  }
  return key;
}

}  // namespace podsim::studies::plan
