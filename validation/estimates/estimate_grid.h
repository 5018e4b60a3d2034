// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "noc/topology.h"
#include "sw/collectives/algorithm.h"
#include "sw/collectives/collective_kind.h"
#include "sw/target_machine.h"

/// The times by which the compiler chooses algorithms and placements, compared with simulated ones, on a grid of
/// collectives: `podsim validate estimates`.
namespace podsim::validation::estimates {

/// A collective by one algorithm.
struct EstimateCase {
  sw::collectives::CollectiveKind kind = sw::collectives::CollectiveKind::all_reduce;
  sw::collectives::Algorithm algorithm = sw::collectives::Algorithm::y_then_x;
  std::string slice, groups;  ///< "4x4"; "[4,4]<=[16]", "x", or the first pair of a collective-permute
  std::int64_t bytes = 0;     ///< of a rank's payload
  double estimate_s = 0;      ///< sw/collectives/engine/algorithm_choice.h
  double formula_s = 0;       ///< sw/collectives/schedule/collective_estimate.h
  double simulated_s = 0;

  double error() const { return estimate_s / simulated_s - 1; }
  double formula_error() const { return formula_s / simulated_s - 1; }
};

struct EstimateGrid {
  std::vector<EstimateCase> cases;
  std::size_t turns = 0;  ///< algorithms on groups that were tried
  double wall_s = 0;      ///< of the host, for the report
};

/// What is tried.
struct GridPlan {
  std::vector<noc::Topology> slices;
  std::vector<std::int64_t> sizes;  ///< bytes of a rank's payload
  bool spread = true;               ///< on large slices each algorithm gets every second size, in turn
  /// Called behind every slice of every kind, with the share of the grid that is done and what was last.
  std::function<void(double done, const std::string& last)> progress;
};

/// Adds the cases of the plan to `grid`: every kind, on groups of each sort that programs have, by every algorithm for
/// it. After an interrupt `grid` has the cases until then, and the exception of base/host/interrupt.h passes.
void add_cases(EstimateGrid& grid, const sw::TargetMachine& machine, const GridPlan& plan);

/// A line per kind and algorithm: cases, median and largest error of the estimate and of the formula alone.
std::string grid_text(const EstimateGrid& grid);
std::string grid_json(const EstimateGrid& grid);
std::string grid_csv(const EstimateGrid& grid);

/// Why the estimates are not close enough: a median error above 2 %, or a case above 8 %. Empty if they are.
std::string problem_of(const EstimateGrid& grid);

}  // namespace podsim::validation::estimates
