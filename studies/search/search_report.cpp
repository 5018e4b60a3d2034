// SPDX-License-Identifier: Apache-2.0
#include "studies/search/search_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text/text_table.h"
#include "sw/plans/plan_file.h"

namespace podsim::studies::search {
namespace {

using Json = nlohmann::ordered_json;
using sw::plans::AxisSet;
using sw::plans::ShardingPlan;

double step_of(const Visit& visit) { return visit.trial.figures.value("step_time_s", 0.0); }

double memory_of(const Visit& visit) {
  const auto memory = visit.trial.figures.find("memory");
  return memory == visit.trial.figures.end() ? 0 : memory->value("peak_bytes_per_core", 0.0);
}

/// The first line of an error, without its location.
std::string first_line(const std::string& error) {
  const std::string line = error.substr(0, error.find('\n'));
  const std::size_t at = line.find("error: ");
  return at == std::string::npos ? line : line.substr(at + 7);
}

/// The kind of a refusal, so that those for want of memory are counted together.
std::string kind_of(const std::string& error) {
  const std::string line = first_line(error);
  return line.starts_with("out of memory") ? "out of memory" : line;
}

std::string axes_text(const ShardingPlan& plan, AxisSet set) {
  const hlo::spmd::mesh::Mesh mesh = plan.mesh();
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
    if ((set >> axis & 1) != 0) names.push_back(mesh.axes()[axis].name);
  }
  return names.empty() ? "along no axis" : fmt::format("along {}", fmt::join(names, "+"));
}

/// The name of the change from one plan to another; empty if they differ in more than one class.
std::string plan_change(const SearchQuestion& question, const ShardingPlan& from, const ShardingPlan& to) {
  if (from.axes != to.axes) return "";
  std::string name;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    const bool values = from.values[i] != to.values[i], kept = from.kept[i] != to.kept[i];
    if (!values && !kept) continue;
    ++changed;
    const std::string of =
        sw::plans::class_name(question.shardings->module(), question.shardings->program().classes[i]);
    if (values && kept && to.values[i] == to.kept[i]) {
      name = fmt::format("{} {}", of, axes_text(to, to.values[i]));
    } else {
      name = fmt::format("{} {}{}", of, kept ? "in weights " : "", axes_text(to, kept ? to.kept[i] : to.values[i]));
    }
  }
  return changed == 1 ? name : "";
}

std::string change_name(const SearchQuestion& question, const Way& from, const Way& to) {
  std::string name;
  std::size_t changed = 0;
  for (std::size_t choice = 0; choice < to.chosen.size(); ++choice) {
    if (from.chosen[choice] == to.chosen[choice]) continue;
    ++changed;
    name = question.choices[choice].of[to.chosen[choice]].name;
  }
  if (from.plan == to.plan) return changed == 1 ? name : "";
  if (changed > 0) return "";
  if (!to.plan) return "the sharding as it is given";
  return from.plan ? plan_change(question, *from.plan, *to.plan) : "";
}

std::string size_text(double bytes) { return fmt::format("{:.2f} GB", bytes / 1e9); }

std::string row_of(const Visit& visit) {
  std::string text = fmt::format("{:.5g} ms", step_of(visit) * 1e3);
  if (const double samples = visit.trial.figures.value("samples_per_s", 0.0); samples > 0) {
    text += fmt::format(", {:.5g} samples/s", samples);
  }
  if (memory_of(visit) > 0) text += fmt::format(", {} of memory", size_text(memory_of(visit)));
  return text;
}

std::string bound_text(const Json& figures) {
  const std::string by = figures.value("bound_by", "");
  return by.empty() ? "" : fmt::format("{} for {:.1f} % of the step", by, 100 * figures.value("bound_share", 0.0));
}

std::string space_text(const SearchQuestion& question, const SearchOutcome& outcome) {
  std::string text = fmt::format("{} ways run", outcome.visits.size());
  if (question.shardings == nullptr) return text;
  const sw::plans::RankedPlans& ranked = question.shardings->ranked();
  return text + fmt::format("; {} shardings ranked by formula, {}", ranked.costed,
                            ranked.all ? "all that there are" : "of a space that is too large to look at whole");
}

Json point_json(const SearchQuestion& question, const Visit& visit) {
  Json point = {{"command", visit.command}};
  if (visit.estimate_s) point["estimate_s"] = *visit.estimate_s;
  if (visit.way.plan) point["least_s"] = least_step_s(question, *visit.way.plan, visit.way);
  if (visit.trial.done) {
    point["step_time_s"] = step_of(visit);
    if (visit.trial.figures.contains("samples_per_s")) point["samples_per_s"] = visit.trial.figures["samples_per_s"];
    point["peak_bytes_per_core"] = memory_of(visit);
    point["within_limits"] = visit.value.has_value();
  } else {
    point["error"] = first_line(visit.trial.error);
  }
  return point;
}

/// What the step as it is given and the best way take without the judge's words.
std::string whole_text(const SearchQuestion& question, const SearchOutcome& outcome) {
  if (question.judge.empty()) return "";
  std::string text = fmt::format("judged by    {}: one chip, whose collectives take as long as they do alone\n",
                                 fmt::join(question.judge, " "));
  for (std::size_t i = 0; i < outcome.whole.size(); ++i) {
    const Visit& visit = outcome.whole[i];
    text += fmt::format("{}{}\n", i == 0 ? "whole        as given: " : "             best: ",
                        visit.trial.done ? row_of(visit) : first_line(visit.trial.error));
  }
  return text;
}

}  // namespace

std::vector<OneChange> changes_from_best(const SearchQuestion& question, const SearchOutcome& outcome) {
  std::vector<OneChange> changes;
  if (!outcome.best) return changes;
  const Visit& best = outcome.visits[*outcome.best];
  for (std::size_t i = 0; i < outcome.visits.size(); ++i) {
    if (i == *outcome.best) continue;
    std::string name = change_name(question, best.way, outcome.visits[i].way);
    if (!name.empty()) changes.push_back({std::move(name), i});
  }
  std::ranges::stable_sort(changes, [&](const OneChange& one, const OneChange& other) {
    const std::optional<double>&a = outcome.visits[one.visit].value, &b = outcome.visits[other.visit].value;
    return a && b ? *a > *b : a.has_value() && !b.has_value();
  });
  return changes;
}

std::vector<std::size_t> pareto_front(const SearchOutcome& outcome) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < outcome.visits.size(); ++i) {
    if (outcome.visits[i].trial.done && memory_of(outcome.visits[i]) > 0) order.push_back(i);
  }
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return std::pair(step_of(outcome.visits[i]), memory_of(outcome.visits[i])); });
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    if (front.empty() || memory_of(outcome.visits[i]) < memory_of(outcome.visits[front.back()])) front.push_back(i);
  }
  return front;
}

std::string search_text(const SearchQuestion& question, const SearchOutcome& outcome) {
  const Visit& given = outcome.visits.front();
  std::string text = space_text(question, outcome) + "\n\n";
  text += "as given     " + (given.trial.done ? row_of(given) : first_line(given.trial.error)) + "\n";
  if (!outcome.best) return text + "best         nothing that was tried runs within the limits\n";
  const Visit& best = outcome.visits[*outcome.best];
  text += "best         " + row_of(best);
  if (given.value) text += fmt::format(": {:.3f} times as good", ratio(*best.value, *given.value));
  text += "\nbound by     " + bound_text(best.trial.figures) + "\n";
  if (best.way.plan) {
    const std::vector<std::string> axes = described(*best.way.plan, *question.shardings);
    text += fmt::format("mesh         {}\n", fmt::join(axes, "\n             "));
  }
  text += "command      " + best.command + "\n";
  text += whole_text(question, outcome);
  if (outcome.proven)
    text += "proven       with the flags of the shardings that ran, none of their space is faster than this\n";

  using Align = base::text::TextTable::Align;
  const auto quotient = [&](const Visit& visit) { return fmt::format("{:.3f}", ratio(*visit.value, *best.value)); };
  std::string refused;
  if (const std::vector<OneChange> changes = changes_from_best(question, outcome); !changes.empty()) {
    base::text::TextTable table({Align::right, Align::left});
    for (const OneChange& change : changes) {
      const Visit& visit = outcome.visits[change.visit];
      table.row({visit.value ? quotient(visit) : "-",
                 visit.trial.done ? change.name : change.name + ": " + first_line(visit.trial.error)});
    }
    text += "\none change at a time from the best, as a part of it:\n" + table.text();
  }
  if (const std::vector<std::size_t> front = pareto_front(outcome); front.size() > 1) {
    base::text::TextTable table({Align::right, Align::right, Align::left});
    table.row({"step", "memory", ""});
    for (const std::size_t i : front) {
      const Visit& visit = outcome.visits[i];
      table.row({fmt::format("{:.5g} ms", step_of(visit) * 1e3), size_text(memory_of(visit)), visit.command});
    }
    text += "\nno other way takes less time and less memory than these:\n" + table.text();
  }
  std::map<std::string, int> kinds;
  for (const Visit& visit : outcome.visits) {
    if (!visit.trial.done) ++kinds[kind_of(visit.trial.error)];
  }
  if (!kinds.empty()) text += "\ndid not run:\n";
  for (const auto& [kind, count] : kinds) text += fmt::format("  {} x {}\n", count, kind);
  return text;
}

Json search_json(const SearchQuestion& question, const SearchOutcome& outcome) {
  Json points = Json::array(), whole = Json::array();
  for (const Visit& visit : outcome.visits) points.push_back(point_json(question, visit));
  for (const Visit& visit : outcome.whole) whole.push_back(point_json(question, visit));
  Json result = {{"schema_version", 1}, {"command", "search"}};
  if (outcome.best) {
    const Visit& best = outcome.visits[*outcome.best];
    result["best"] = points[*outcome.best];
    result["best"]["bound_by"] = best.trial.figures.value("bound_by", "");
    if (best.way.plan) result["best"]["sharding"] = question.shardings->text(*best.way.plan);
    Json changes = Json::array();
    for (const OneChange& change : changes_from_best(question, outcome)) {
      const Visit& visit = outcome.visits[change.visit];
      Json row = {{"change", change.name}, {"point", change.visit}};
      if (visit.value) row["ratio"] = ratio(*visit.value, *best.value);
      changes.push_back(std::move(row));
    }
    result["changes"] = std::move(changes);
  }
  if (question.shardings != nullptr) {
    result["shardings_ranked"] = question.shardings->ranked().costed;
    result["proven"] = outcome.proven;
    result["shardings_all"] = question.shardings->ranked().all;
  }
  if (!question.judge.empty()) {
    result["judge"] = question.judge;
    result["whole"] = std::move(whole);
  }
  result["pareto"] = pareto_front(outcome);
  result["points"] = std::move(points);
  return result;
}

}  // namespace podsim::studies::search
