// SPDX-License-Identifier: Apache-2.0
#include "validation/estimates/estimate_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/host/interrupt.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "sw/collectives/schedule/collective_estimate.h"

namespace podsim::validation::estimates {
namespace {

using sw::collectives::Algorithm;
using sw::collectives::CollectiveGroups;
using sw::collectives::CollectiveKind;

constexpr std::int64_t max_direct_ranks = 512;  ///< every rank sends to every other: the square of it in messages
constexpr std::int64_t max_chips_of_all_sizes = 128;

/// Groups of each kind that programs have: all cores, lines of chips, neighbouring cores, cores far apart, pairs.
std::vector<std::string> groups_on(const noc::Topology& slice, int cores, CollectiveKind kind) {
  const std::int64_t all = slice.nodes() * std::int64_t(cores);
  if (kind == CollectiveKind::collective_permute) {
    std::string shift, transpose;
    for (std::int64_t rank = 0; rank < all; ++rank) {
      shift += fmt::format("{}{{{},{}}}", rank == 0 ? "" : ",", rank, (rank + 1) % all);
      transpose += fmt::format("{}{{{},{}}}", rank == 0 ? "" : ",", rank, (rank + all / 2) % all);
    }
    return {"{" + shift + "}", "{" + transpose + "}"};
  }
  std::vector<std::string> groups{fmt::format("[1,{0}]<=[{0}]", all)};
  for (int d = 0; d < slice.dimensions(); ++d) {
    if (slice.size(d) > 1 && slice.size(d) < slice.nodes()) groups.push_back(noc::dimension_name(d));
  }
  if (all % 4 != 0 || all < 16) return groups;
  groups.push_back(fmt::format("[{0},4]<=[{1}]", all / 4, all));
  groups.push_back(fmt::format("[4,{0}]<=[{0},4]T(1,0)", all / 4));
  groups.push_back(fmt::format("[{0},2]<=[2,{0}]T(1,0)", all / 2));
  return groups;
}

CollectiveGroups parsed_groups(const std::string& text, const noc::Topology& slice, int cores, CollectiveKind kind) {
  return kind == CollectiveKind::collective_permute ? CollectiveGroups::parse_pairs(text, slice, cores)
                                                    : CollectiveGroups::parse(text, slice, cores);
}

double simulated_seconds(const sw::TargetMachine& machine, const noc::Topology& slice, const CollectiveGroups& groups,
                         const sw::collectives::schedule::CollectiveRequest& request, Algorithm algorithm,
                         double& formula_s) {
  const auto schedule = std::make_shared<const sw::collectives::schedule::CollectiveSchedule>(
      slice, int(machine.cores_per_chip), groups, request, algorithm,
      sw::collectives::schedule::segment_lengths(machine, request.type));
  formula_s = sw::collectives::schedule::modelled_time(machine, *schedule).si();
  return base::to_duration(sw::collectives::engine::simulate_collective(machine, schedule).duration).si();
}

/// The sizes of a case: all, or every second one in turn.
std::vector<std::int64_t> sizes_of(const std::vector<std::int64_t>& sizes, bool spread, std::size_t turn) {
  if (!spread) return sizes;
  std::vector<std::int64_t> taken;
  for (std::size_t i = turn % 2; i < sizes.size(); i += 2) taken.push_back(sizes[i]);
  return taken;
}

void run_groups(const sw::TargetMachine& machine, const noc::Topology& slice, const std::string& text,
                const std::vector<std::int64_t>& all_sizes, bool spread, CollectiveKind kind,
                sw::collectives::engine::CollectiveTimes& times, EstimateGrid& grid) {
  const CollectiveGroups groups = parsed_groups(text, slice, int(machine.cores_per_chip), kind);
  for (const Algorithm algorithm : sw::collectives::algorithms_for(kind, slice.dimensions())) {
    const auto sizes = sizes_of(all_sizes, spread && slice.nodes() > max_chips_of_all_sizes, grid.turns++);
    const bool direct = sw::collectives::traits(kind).personal && !sw::collectives::goes_by_dimension(algorithm);
    if (direct && groups.largest() > max_direct_ranks) continue;
    for (const std::int64_t bytes : sizes) {
      const sw::collectives::schedule::CollectiveRequest request{kind, hlo::ElementType::bf16,
                                                                 std::max<std::int64_t>(1, bytes / 2)};
      EstimateCase one{
          .kind = kind,
          .algorithm = algorithm,
          .slice = noc::to_string(slice),
          .groups = kind == CollectiveKind::collective_permute ? text.substr(0, text.find('}') + 1) + "...}" : text,
          .bytes = bytes};
      one.estimate_s = times.time(slice, groups, request, algorithm).si();
      one.simulated_s = simulated_seconds(machine, slice, groups, request, algorithm, one.formula_s);
      grid.cases.push_back(one);
    }
  }
}

}  // namespace

void add_cases(EstimateGrid& grid, const sw::TargetMachine& machine, const GridPlan& plan) {
  std::size_t done = 0;
  for (const CollectiveKind kind : sw::collectives::collective_kinds) {
    for (const noc::Topology& slice : plan.slices) {
      sw::collectives::engine::CollectiveTimes times(machine);
      for (const std::string& groups : groups_on(slice, int(machine.cores_per_chip), kind)) {
        base::host::end_if_interrupted(fmt::format("after {} cases", grid.cases.size()));
        run_groups(machine, slice, groups, plan.sizes, plan.spread, kind, times, grid);
      }
      ++done;
      plan.progress(double(done) / double(plan.slices.size() * sw::collectives::collective_kinds.size()),
                    fmt::format("{} on {}", to_string(kind), noc::to_string(slice)));
    }
  }
}

}  // namespace podsim::validation::estimates
