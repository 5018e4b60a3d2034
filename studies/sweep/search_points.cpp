// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/search_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/exit_code.h"
#include "base/text/counted.h"
#include "studies/plan/metrics.h"

namespace podsim::studies::sweep {
namespace {

bool is_answer(const store::PointRecord& record) {
  return record.done || record.exit_code == base::host::failed || record.exit_code == base::host::bad_input;
}

}  // namespace

SearchPoints::SearchPoints(const plan::Study& study) : study_(study), problem_(study), options_(problem_.options()) {}

std::vector<optimise::Candidate> SearchPoints::choose() {
  std::vector<optimise::Tried> all;
  for (const auto& result : results_) all.push_back(result.value());
  switch (study_.search->method) {
    case plan::SearchMethod::random:
      return optimise::next_random(problem_, options_, all);
    case plan::SearchMethod::gaussian:
      return optimise::next_gaussian(problem_, options_, all);
    case plan::SearchMethod::halving:
      return optimise::next_halving(problem_, options_, all);
  }
  return {};
}

void SearchPoints::begin() {
  next();
  std::vector<plan::StudyPoint> bare;
  for (const PreparedPoint& point : points_) bare.push_back(point.point);
  static_cast<void>(plan::baseline_position(study_, bare));
}

std::vector<const PreparedPoint*> SearchPoints::next() {
  if (stalled_) return {};
  if (std::ranges::all_of(results_, [](const auto& result) { return result.has_value(); })) {
    for (optimise::Candidate& candidate : choose()) {
      plan::StudyPoint point = problem_.point(candidate);
      point.position = std::int64_t(points_.size());
      points_.push_back(preparer_.prepare(std::move(point)));
      candidates_.push_back(std::move(candidate));
      results_.emplace_back();
    }
  }
  if (points_.empty()) {
    if (problem_.refused() > 0) throw base::InputError("no combination can run: " + problem_.first_refusal());
    throw base::InputError({base::Diagnostic::Severity::error,
                            fmt::format("the constraints leave none of {} combinations that the search has looked at",
                                        std::min(problem_.space().size(), optimise::most_looked_at)),
                            study_.search->location, ""});
  }
  std::vector<const PreparedPoint*> open;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!results_[i]) open.push_back(&points_[i]);
  }
  return open;
}

optimise::Tried SearchPoints::tried(const PreparedPoint& point, const optimise::Candidate& candidate,
                                    const store::PointRecord& record) const {
  optimise::Tried tried{candidate, std::nullopt, false};
  if (!record.done) return tried;
  const auto result = nlohmann::ordered_json::parse(record.result);
  tried.costs = problem_.costs(point.point, plan::metrics_of(study_, point.point, result));
  tried.eligible = tried.costs && plan::satisfies_constraints(study_, point.point, result);
  return tried;
}

void SearchPoints::answer(const store::PointRecord& record) {
  const auto found = std::ranges::find(points_, record.id, &PreparedPoint::id);
  if (found == points_.end()) return;
  const auto position = std::size_t(found->point.position);
  any_done_ = any_done_ || record.done;
  if (is_answer(record)) {
    refused_runs_ += record.done ? 0 : 1;
    results_[position] = tried(*found, candidates_[position], record);
  } else {
    stalled_ = std::min(stalled_.value_or(found->point.position), found->point.position);
  }
}

void SearchPoints::replay(const std::function<std::optional<store::PointRecord>(const std::string& id)>& stored) {
  bool all = true;
  while (all) {
    const std::vector<const PreparedPoint*> batch = next();
    all = !batch.empty();
    for (const PreparedPoint* point : batch) {
      const std::optional<store::PointRecord> record = stored(point->id);
      if (record && is_answer(*record)) {
        answer(*record);
      } else {
        all = false;
      }
    }
  }
}

void SearchPoints::restart() {
  points_.clear();
  candidates_.clear();
  results_.clear();
  any_done_ = false;
  refused_runs_ = 0;
  stalled_.reset();
}

std::size_t SearchPoints::answered() const {
  return std::size_t(std::ranges::count_if(results_, [](const auto& result) { return result.has_value(); }));
}

std::size_t SearchPoints::planned() const {
  std::int64_t planned = std::min(options_.points, problem_.space().size());
  if (options_.fidelity) {
    const std::int64_t rounds = problem_.space().dimensions()[*options_.fidelity].values;
    planned = std::min(options_.points, problem_.space().size() / rounds);
    std::int64_t size = planned;
    for (std::int64_t round = 1; round < rounds; ++round) {
      size = std::max<std::int64_t>(size / options_.keep, 1) + 1;  // at most: the baseline goes on too
      planned += size;
    }
  }
  return std::max(std::size_t(planned), points_.size());
}

std::string SearchPoints::summary() const {
  std::string text = fmt::format("{} search, seed {}: {} of {}", plan::to_string(study_.search->method),
                                 study_.search->seed, base::text::counted(std::int64_t(points_.size()), "point"),
                                 base::text::counted(problem_.space().size(), "combination"));
  if (problem_.refused() > 0) {
    text += fmt::format("\n{} cannot run, such as {}",
                        base::text::counted(std::int64_t(problem_.refused()), "combination"), problem_.first_refusal());
  }
  return text + "\n";
}

}  // namespace podsim::studies::sweep
