// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "studies/optimise/search_method.h"
#include "studies/optimise/search_problem.h"
#include "studies/plan/point_maker.h"
#include "studies/plan/study.h"

namespace podsim::studies::optimise {

/// The axes of a study as a space. A dimension is a group of axes that move together, ordered by its first axis if that
/// has numbers. The objectives are those of [report]: `minimise`, then `maximise`, whose costs are negated.
class StudyProblem : public SearchProblem {
 public:
  /// A study with a search, which must outlive the problem.
  explicit StudyProblem(const plan::Study& study);

  const SearchSpace& space() const override { return space_; }
  std::size_t objectives() const override { return objectives_.size(); }
  bool allows(const Candidate& candidate) override;
  std::optional<double> known_cost(const Candidate& candidate, std::size_t objective) override;
  bool can_run(const Candidate& candidate) override { return completed(candidate).has_value(); }

  /// Options of the study's search, with the candidate nearest to the baseline in every dimension as its start.
  SearchOptions options() const;
  /// The point of a candidate that can_run(), without its position.
  plan::StudyPoint point(const Candidate& candidate) { return completed(candidate).value(); }
  /// Costs by the numbers of a run; std::nullopt if one is missing.
  std::optional<Costs> costs(const plan::StudyPoint& point,
                             const std::vector<std::pair<std::string, double>>& metrics) const;

  /// Number of candidates whose values are not those of a run, and the first one with its reason; "" if there is none.
  std::size_t refused() const { return refused_; }
  const std::string& first_refusal() const { return first_refusal_; }

 private:
  struct Objective {
    std::string name;
    std::optional<std::size_t> derived;  ///< index of the derived value, if it is one
    double sign = 1;
  };

  void add_objectives(const std::vector<std::string>& names, double sign);
  /// The point of an allowed candidate; std::nullopt if it cannot run.
  const std::optional<plan::StudyPoint>& completed(const Candidate& candidate);
  std::optional<plan::StudyPoint> complete(const Candidate& candidate);
  void refuse(const plan::StudyPoint& point, const std::string& reason);

  const plan::Study& study_;
  plan::PointMaker maker_;
  SearchSpace space_;
  std::vector<Objective> objectives_;
  std::map<Candidate, std::optional<plan::StudyPoint>> completed_;
  std::set<std::vector<std::string>> runs_;
  std::size_t refused_ = 0;
  std::string first_refusal_;
};

}  // namespace podsim::studies::optimise
