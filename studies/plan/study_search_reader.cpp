// SPDX-License-Identifier: Apache-2.0
// Part of studies/plan/study_reader.h.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "studies/plan/metrics.h"
#include "studies/plan/study_reader.h"

namespace podsim::studies::plan {

namespace {

constexpr std::int64_t max_modelled_points = 500;  // a Gaussian process takes time by the cube of its points
constexpr std::size_t max_objectives = 4;          // the boxes of a front grow with its points to this power

const std::vector<std::string>& search_parts(SearchMethod method) {
  static const std::vector<std::string> drawn{"method", "points", "seed"},
      modelled{"method", "points", "seed", "batch", "begin"}, in_rounds{"method", "points", "seed", "fidelity", "keep"};
  if (method == SearchMethod::random) return drawn;
  return method == SearchMethod::gaussian ? modelled : in_rounds;
}

}  // namespace

void StudyReader::read_search() {
  const toml::table* table = text_.table("search");
  if (table != nullptr) {
    study_.search.emplace();
    study_.search->location = text_.place(*table);
    const std::vector<std::string> methods{"random", "gaussian", "halving"};
    const std::string method = table->contains("method") ? text_.string(*table, "method") : methods[1];
    const auto found = std::ranges::find(methods, method);
    if (found == methods.end()) {
      const toml::node& node = *table->get("method");
      if (!node.is_string()) return;
      return text_.errors().error(text_.inside(node), fmt::format("'{}' is not a method of search", method),
                                  "random, gaussian or halving");
    }
    study_.search->method = SearchMethod(found - methods.begin());
    read_search_numbers(*table);
    read_fidelity(*table);
    check_searched_space();
  }
  check_eligible_name();
}

void StudyReader::read_search_numbers(const toml::table& table) {
  StudySearch& search = *study_.search;
  const std::vector<std::string>& parts = search_parts(search.method);
  for (const StudyEntry& entry : text_.entries(table)) {
    if (std::ranges::find(parts, entry.key) != parts.end()) continue;
    text_.errors().error(entry.place,
                         fmt::format("'{}' is no part of a search by \"{}\"", entry.key, to_string(search.method)),
                         base::did_you_mean(entry.key, parts));
  }
  if (!table.contains("points")) {
    text_.errors().error(search.location, "nothing says how many 'points' the search runs", "as in points = 40");
  }
  int moving = 0;  // axes that move together count once
  for (const StudyAxis& axis : study_.axes) {
    const auto first = std::ranges::find(study_.axes, axis.group, &StudyAxis::group);
    if (&axis == &*first && axis.values.size() > 1) ++moving;
  }
  const bool modelled = search.method == SearchMethod::gaussian;
  search.points = search_number(table, "points", {1, 1, modelled ? max_modelled_points : max_points_unasked});
  search.seed = search_number(table, "seed", {1, 0, std::numeric_limits<std::int64_t>::max()});
  search.batch = search_number(table, "batch", {4, 1, max_modelled_points});
  search.begin = search_number(table, "begin", {2 * moving + 2, 2, max_modelled_points});
  search.keep = search_number(table, "keep", {3, 2, max_points_unasked});
}

std::int64_t StudyReader::search_number(const toml::table& table, const char* name, SearchWhole limits) {
  const toml::node* node = table.get(name);
  if (node == nullptr) return limits.otherwise;
  const auto* number = node->as_integer();
  if (number != nullptr && number->get() >= limits.least && number->get() <= limits.most) return number->get();
  const bool any = limits.most == std::numeric_limits<std::int64_t>::max();
  text_.errors().error(text_.place(*node),
                       any ? fmt::format("'{}' is a whole number, {} or more", name, limits.least)
                           : fmt::format("'{}' is a whole number from {} to {}", name, limits.least, limits.most));
  return limits.otherwise;
}

/// The fidelity of a search by halving is an axis of its own, in ascending order, whose last value is the whole.
void StudyReader::read_fidelity(const toml::table& table) {
  if (study_.search->method != SearchMethod::halving) return;
  const toml::node* node = table.get("fidelity");
  if (node == nullptr) {
    return text_.errors().error(study_.search->location, "a search by halving needs a 'fidelity'",
                                "an axis with ascending values, as in fidelity = \"model.layers\"");
  }
  const std::string name = text_.string(table, "fidelity");
  if (!node->is_string()) return;
  const base::SourceLocation place = text_.inside(*node);
  const auto axis = std::ranges::find(study_.axes, name, &StudyAxis::key);
  if (axis == study_.axes.end()) {
    std::vector<std::string> names;
    for (const StudyAxis& a : study_.axes) names.push_back(a.key);
    return text_.errors().error(place, fmt::format("'{}' is not an axis", name), base::did_you_mean(name, names));
  }
  const auto descends = [](const StudyValue& one, const StudyValue& next) {
    return one.number && next.number && *one.number >= *next.number;
  };
  if (std::ranges::count(study_.axes, axis->group, &StudyAxis::group) > 1) {
    text_.errors().error(place, fmt::format("the fidelity '{}' moves with other axes", name), "give it an axis alone");
  } else if (axis->values.size() < 2) {
    text_.errors().error(place, fmt::format("the fidelity '{}' has one value: there is nothing to halve", name));
  } else if (std::ranges::adjacent_find(axis->values, descends) != axis->values.end()) {
    text_.errors().error(place, fmt::format("the values of the fidelity '{}' do not ascend", name));
  } else {
    study_.search->fidelity = name;
    set_whole_baseline(*axis);
  }
}

/// Comparisons are with a baseline of the whole fidelity.
void StudyReader::set_whole_baseline(const StudyAxis& fidelity) {
  const StudyValue& whole = fidelity.values.back();
  const auto found = std::ranges::find(study_.baseline, fidelity.key, &StudyValue::key);
  const bool written = found - study_.baseline.begin() < std::ptrdiff_t(study_.baseline_written);
  if (found == study_.baseline.end()) {
    study_.baseline.push_back(whole);
  } else if (!written) {
    *found = whole;
  } else {
    text_.errors().error(
        study_.baseline_location,
        fmt::format("the baseline has the last value of the fidelity '{}': leave it out", fidelity.key));
  }
}

void StudyReader::check_searched_space() {
  const std::size_t objectives = study_.report.minimise.size() + study_.report.maximise.size();
  if (objectives == 0) {
    text_.errors().error(study_.search->location, "a search needs an objective",
                         "as in [report] with minimise = [\"step_time_s\"]");
  } else if (objectives > max_objectives) {
    text_.errors().error(study_.search->location,
                         fmt::format("a search has at most {} objectives, not {}", max_objectives, objectives));
  }
  if (text_.errors().empty() && study_size(study_) == std::numeric_limits<std::int64_t>::max()) {
    text_.errors().error(study_.search->location, "the axes span more than 9.2e18 points");
  }
}

void StudyReader::check_eligible_name() {
  if (!has_eligible(study_)) return;
  for (const auto* values : {&study_.derived, &study_.metric_derived}) {
    const auto taken = std::ranges::find(*values, eligible_metric, &StudyExpression::name);
    if (taken == values->end()) continue;
    text_.errors().error(taken->place,
                         fmt::format("'{}' is the metric of points that may be the best", eligible_metric),
                         "choose another name");
  }
}

}  // namespace podsim::studies::plan
