// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/algorithm_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "sw/collectives/engine/collective_simulation.h"
#include "sw/collectives/schedule/collective_estimate.h"
#include "sw/collectives/schedule/collective_folding.h"
#include "sw/collectives/schedule/launch.h"
#include "sw/target_machine.h"

namespace podsim::sw::collectives::engine {
namespace {

constexpr std::int32_t max_segments = 48;             ///< of a flow that is simulated in full
constexpr std::int64_t max_direct_messages = 20'000;  ///< of direct sends that are simulated
constexpr double hopeless = 1.7;                      ///< times the least time by formula

/// Segments of the flow that has most.
std::int32_t segments_of(const schedule::CollectiveSchedule& schedule) {
  std::int32_t most = 1;
  for (std::size_t group = 0; group < schedule.groups(); ++group) {
    const schedule::GroupSchedule& program = schedule.group_program(group);
    for (int order = 0; order < program.orders(); ++order) {
      for (const schedule::Phase& phase : program.phases(order)) {
        most = std::max({most, phase.pattern->segments(+1), phase.pattern->segments(-1)});
      }
    }
  }
  return most;
}

/// Leaves out lines: on open dimensions they are what y_then_x does, and on closed ones its rings use both directions.
std::vector<Algorithm> candidates_for(CollectiveKind kind, int dimensions) {
  std::vector<Algorithm> able = algorithms_for(kind, dimensions);
  std::erase(able, Algorithm::line);
  return able;
}

bool sends_directly(const schedule::CollectiveRequest& request, Algorithm algorithm) {
  return traits(request.kind).personal && !goes_by_dimension(algorithm);
}

/// Messages of direct sends that a simulation has, those of chips that stand for others once.
std::int64_t direct_messages(const SlicePart& part, const schedule::CollectiveSchedule& schedule) {
  std::int64_t messages = 0;
  for (const CollectiveGroups::Ranks& ranks : part.groups) messages += std::int64_t(ranks.size() * (ranks.size() - 1));
  return messages * schedule::fold_for(schedule).representatives().nodes() / part.slice.nodes();
}

}  // namespace

std::shared_ptr<const schedule::CollectiveSchedule> CollectiveTimes::schedule_of(
    const SlicePart& part, const schedule::CollectiveRequest& request, Algorithm algorithm) const {
  return std::make_shared<const schedule::CollectiveSchedule>(part.slice, int(machine_.cores_per_chip),
                                                              CollectiveGroups(part.groups), request, algorithm,
                                                              schedule::segment_lengths(machine_, request.type));
}

double CollectiveTimes::simulated(const SlicePart& part, const schedule::CollectiveRequest& request,
                                  Algorithm algorithm) const {
  return base::to_duration(simulate_collective(machine_, schedule_of(part, request, algorithm)).duration).si();
}

double CollectiveTimes::part_seconds(const SlicePart& part, const schedule::CollectiveRequest& request,
                                     Algorithm algorithm) {
  const std::string key =
      fmt::format("{} {} {} {} ", int(request.kind), int(request.type), request.elements, int(algorithm)) +
      part.content;
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const auto schedule = schedule_of(part, request, algorithm);
  double seconds = 0;
  if (sends_directly(request, algorithm) && direct_messages(part, *schedule) > max_direct_messages) {
    seconds = schedule::modelled_time(machine_, *schedule).si();
  } else if (const std::int32_t segments = segments_of(*schedule); segments <= max_segments) {
    seconds = simulated(part, request, algorithm);
  } else {
    schedule::CollectiveRequest large = request, small = request;
    large.elements = longest_simulated(part, request, algorithm, segments);
    small.elements = large.elements / 2;
    const double from = part_seconds(part, small, algorithm), to = part_seconds(part, large, algorithm);
    const double rate = (to - from) / double(large.elements - small.elements);
    seconds = to + rate * double(request.elements - large.elements);
  }
  return known_[key] = seconds;
}

std::int64_t CollectiveTimes::longest_simulated(const SlicePart& part, schedule::CollectiveRequest request,
                                                Algorithm algorithm, std::int32_t segments) const {
  const auto is_short = [&](std::int64_t elements) {
    request.elements = elements;
    return segments_of(*schedule_of(part, request, algorithm)) <= max_segments;
  };
  const std::int64_t most = request.elements;
  auto longest = std::int64_t(std::bit_floor(std::uint64_t(std::max<std::int64_t>(2, most / segments * max_segments))));
  while (longest * 2 <= most && is_short(longest * 2)) longest *= 2;
  while (longest > 2 && !is_short(longest)) longest /= 2;
  return longest;
}

double CollectiveTimes::seconds(const Parts& parts, const schedule::CollectiveRequest& request, Algorithm algorithm) {
  double longest = 0;
  for (const SlicePart& part : parts) longest = std::max(longest, part_seconds(part, request, algorithm));
  return longest;
}

double CollectiveTimes::formula(const Parts& parts, const schedule::CollectiveRequest& request,
                                Algorithm algorithm) const {
  double longest = 0;
  for (const SlicePart& part : parts) {
    const auto schedule = schedule_of(part, request, algorithm);
    longest = std::max(longest,
                       (sends_directly(request, algorithm) ? schedule::modelled_time_over_packets(machine_, *schedule)
                                                           : schedule::modelled_time(machine_, *schedule))
                           .si());
  }
  return longest;
}

base::Duration CollectiveTimes::time(const noc::Topology& slice, const CollectiveGroups& groups,
                                     const schedule::CollectiveRequest& request, Algorithm algorithm) {
  return base::Duration(seconds(different_parts(slice, int(machine_.cores_per_chip), groups), request, algorithm));
}

std::vector<Algorithm> CollectiveTimes::promising(const Parts& parts, const schedule::CollectiveRequest& request,
                                                  std::vector<Algorithm> able) const {
  if (able.size() == 1 || traits(request.kind).rooted) return able;
  // The launch is that of all algorithms, and decides between none.
  double launch = 0;
  for (const SlicePart& part : parts) {
    launch = std::max(launch, schedule::launch(machine_, *schedule_of(part, request, able.front())).si());
  }
  std::vector<double> formulas;
  for (const Algorithm algorithm : able) formulas.push_back(formula(parts, request, algorithm) - launch);
  const double least = std::ranges::min(formulas);
  std::vector<Algorithm> left;
  for (std::size_t i = 0; i < able.size(); ++i) {
    if (formulas[i] <= hopeless * least) left.push_back(able[i]);
  }
  return left;
}

std::vector<AlgorithmChoice::Candidate> CollectiveTimes::compare(const noc::Topology& slice, const Parts& parts,
                                                                 const schedule::CollectiveRequest& request) {
  const std::vector<Algorithm> left = promising(parts, request, candidates_for(request.kind, slice.dimensions()));
  std::vector<AlgorithmChoice::Candidate> candidates;
  if (left.size() == 1) return {{left.front(), base::Duration(0)}};
  for (const Algorithm algorithm : left) {
    const bool direct = sends_directly(request, algorithm);
    candidates.push_back(
        {algorithm, base::Duration(direct ? formula(parts, request, algorithm) : seconds(parts, request, algorithm))});
  }
  auto best = candidates.begin();
  for (auto one = candidates.begin() + 1; one != candidates.end(); ++one) {
    if (one->time < best->time) best = one;
  }
  std::rotate(candidates.begin(), best, best + 1);
  std::stable_sort(candidates.begin() + 1, candidates.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return candidates;
}

base::Duration CollectiveTimes::min_time(const noc::Topology& slice, const CollectiveGroups& groups,
                                         const schedule::CollectiveRequest& request) {
  const Parts parts = different_parts(slice, int(machine_.cores_per_chip), groups);
  const AlgorithmChoice::Candidate best = compare(slice, parts, request).front();
  const bool simulated = best.time > base::Duration(0) && !sends_directly(request, best.algorithm);
  return simulated ? best.time : base::Duration(seconds(parts, request, best.algorithm));
}

base::Duration CollectiveTimes::estimate(const noc::Topology& slice, const CollectiveGroups& groups,
                                         const schedule::CollectiveRequest& request) const {
  const Parts parts = different_parts(slice, int(machine_.cores_per_chip), groups);
  double least = std::numeric_limits<double>::infinity();
  for (const Algorithm algorithm : candidates_for(request.kind, slice.dimensions())) {
    least = std::min(least, formula(parts, request, algorithm));
  }
  return base::Duration(least);
}

AlgorithmChoice CollectiveTimes::choose(const noc::Topology& slice, const CollectiveGroups& groups,
                                        const schedule::CollectiveRequest& request) {
  AlgorithmChoice choice;
  choice.candidates = compare(slice, different_parts(slice, int(machine_.cores_per_chip), groups), request);
  const AlgorithmChoice::Candidate& first = choice.candidates[0];
  choice.schedule = std::make_shared<const schedule::CollectiveSchedule>(
      slice, int(machine_.cores_per_chip), groups, request, first.algorithm,
      schedule::segment_lengths(machine_, request.type));
  if (choice.candidates.size() == 1) {
    const bool alone = algorithms_for(request.kind, slice.dimensions()).size() == 1;
    choice.reason = fmt::format("{} {}", to_string(first.algorithm),
                                alone ? "is the only one" : "is by far the fastest by formula");
    return choice;
  }
  const auto over_packets = [&](const AlgorithmChoice::Candidate& candidate) {
    return sends_directly(request, candidate.algorithm) ? " over packets" : "";
  };
  choice.reason = fmt::format("{} is estimated at {}{}", to_string(first.algorithm), base::to_string(first.time),
                              over_packets(first));
  for (std::size_t i = 1; i < choice.candidates.size(); ++i) {
    const AlgorithmChoice::Candidate& other = choice.candidates[i];
    choice.reason += fmt::format("{}{} at {}{}", i == 1 ? "; " : ", ", to_string(other.algorithm),
                                 base::to_string(other.time), over_packets(other));
  }
  return choice;
}

AlgorithmChoice choose_algorithm(const TargetMachine& machine, const noc::Topology& slice,
                                 const CollectiveGroups& groups, const schedule::CollectiveRequest& request) {
  return CollectiveTimes(machine).choose(slice, groups, request);
}

}  // namespace podsim::sw::collectives::engine
