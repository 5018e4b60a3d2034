// SPDX-License-Identifier: Apache-2.0
// Part of studies/plan/study_reader.h.
#include <fmt/format.h>

#include <algorithm>

#include "studies/plan/expression.h"
#include "studies/plan/metrics.h"
#include "studies/plan/study_reader.h"
#include "studies/plan/study_values.h"
#include "studies/plan/study_variables.h"

namespace podsim::studies::plan {

namespace {

constexpr std::string_view host_times[] = {"wall_s", "compile_s", "partition_s"};

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.'; };
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, fits);
}

}  // namespace

void StudyReader::read_expressions() {
  variables_ = variable_names(study_, keys_->machine());
  std::vector<std::string> before;
  std::vector<StudyExpression> all = expressions_of("derived");
  for (StudyExpression& derived : all) {
    check_expression(derived, before);
    before.push_back(derived.name);
  }
  study_.derived = std::move(all);
  for (const toml::node* node : text_.strings(text_.root(), "constraints", "expressions")) {
    const std::string& text = node->as_string()->get();
    study_.constraints.push_back({text, text, text_.inside(*node)});
    check_expression(study_.constraints.back(), before);
  }
}

std::vector<StudyExpression> StudyReader::expressions_of(std::string_view table) {
  std::vector<StudyExpression> result;
  const toml::table* in = text_.table(table);
  if (in == nullptr) return result;
  for (const StudyEntry& entry : text_.entries(*in)) {
    StudyExpression expression{entry.key, "", text_.inside(*entry.node)};
    if (const auto* text = entry.node->as_string()) {
      expression.text = text->get();
    } else if (entry.node->is_number()) {
      expression.text = fmt::format("{}", *entry.node->value<double>());
    } else {
      text_.errors().error(text_.place(*entry.node), fmt::format("'{}' is an expression, as a string", entry.key));
      continue;
    }
    check_derived_name(expression, entry.place);
    result.push_back(std::move(expression));
  }
  return result;
}

void StudyReader::check_derived_name(const StudyExpression& derived, const base::SourceLocation& place) {
  const std::string& name = derived.name;
  if (!is_name(name)) {
    text_.errors().error(place, fmt::format("'{}' is no name for a value", name), "letters, digits, _ and .");
  } else if (std::ranges::find(study_.axes, name, &StudyAxis::key) != study_.axes.end()) {
    text_.errors().error(place, fmt::format("'{}' is an axis already", name));
  } else if (std::ranges::find(study_.base, name, &StudyValue::key) != study_.base.end()) {
    text_.errors().error(place, fmt::format("'{}' is set in [base] already", name));
  } else if (keys_->known(name) && !keys_->is_number(name)) {
    text_.errors().error(place, fmt::format("'{}' does not take numbers", name));
  }
}

/// Checks the names in an expression; `more` are allowed in addition to those of every point.
void StudyReader::check_expression(const StudyExpression& expression, const std::vector<std::string>& more) {
  text_.errors().collect(expression.place, [&] {
    const Expression parsed(expression);
    for (const std::string& name : parsed.names()) {
      if (std::ranges::find(more, name) != more.end()) continue;
      const std::string problem = problem_of(name);
      if (problem.empty()) continue;
      std::vector<std::string> names = variables_;
      names.insert(names.end(), more.begin(), more.end());
      std::string hint = base::did_you_mean(name, names);
      if (keys_->flag(name) != nullptr) hint = "give it in [base]";
      text_.errors().error(parsed.place(name), problem, std::move(hint));
    }
  });
}

/// Reason why a name has no numeric value; "" if it has one.
std::string StudyReader::problem_of(const std::string& name) const {
  const auto is_text = [](const StudyValue& value) { return !value.number; };
  const auto axis = std::ranges::find(study_.axes, name, &StudyAxis::key);
  const auto base = std::ranges::find(study_.base, name, &StudyValue::key);
  const bool text = axis != study_.axes.end() ? std::ranges::any_of(axis->values, is_text)
                                              : base != study_.base.end() && is_text(*base);
  if (text) return fmt::format("'{}' is text here; expressions are of numbers", name);
  if (axis != study_.axes.end() || base != study_.base.end()) return "";
  if (std::ranges::find(study_.derived, name, &StudyExpression::name) != study_.derived.end()) return "";
  MachineCache machines(study_folder(study_));
  std::vector<StudyValue> first;
  for (const StudyAxis& a : study_.axes) {
    if (!a.values.empty()) first.push_back(a.values.front());
  }
  try {
    if (point_variable(PointSettings(study_, first, {}), name, machines)) return "";
  } catch (const base::InputError&) {
    return "";  // reported where the value is written
  }
  const auto written = [&](const auto& of) { return of.key == name; };
  if (std::ranges::any_of(base_entries_, written) ||
      std::ranges::any_of(raw_axes_, [&](const RawAxis& raw) { return raw.entry.key == name; })) {
    return "";  // reported where the value is written
  }
  if (keys_->flag(name) != nullptr) return fmt::format("'{}' has no value in this study", name);
  if (name == "chips" || name == "cores" || name.starts_with("slice_")) {
    return fmt::format("'{}' needs a slice, which this study leaves to a file or mesh", name);
  }
  return fmt::format("nothing is called '{}'", name);
}

std::string StudyReader::metric_name(const toml::node& node) {
  std::string name = node.value_or(std::string());
  if (find_metric(study_.command, name) != nullptr) return name;
  std::vector<std::string> names;
  for (const StudyMetric& metric : study_metrics(study_.command)) names.push_back(metric.name);
  std::string hint = base::did_you_mean(name, names);
  for (const std::string& candidate : names) {
    const std::size_t dot = candidate.rfind('.');
    const bool begins = !name.empty() && candidate.starts_with(name + "_");
    if (hint.empty() && (begins || (dot != std::string::npos && candidate.substr(dot + 1) == name))) {
      hint = fmt::format("did you mean '{}'?", candidate);
    }
  }
  std::string message = fmt::format("podsim {} has no metric '{}'", study_.command, name);
  if (std::ranges::find(host_times, name) != std::end(host_times)) {
    message = fmt::format("'{}' is time of this host, which no two runs agree on", name);
    hint = "the table 'host' of a study's database keeps it";
  }
  text_.errors().error(text_.inside(node), std::move(message), std::move(hint));
  return "";
}

void StudyReader::read_metrics() {
  for (const toml::node* node : text_.strings(text_.root(), "metrics", "names")) {
    const std::string name = metric_name(*node);
    if (name.empty()) continue;
    if (std::ranges::find(study_.metrics, name) != study_.metrics.end()) {
      text_.errors().error(text_.inside(*node), fmt::format("'{}' is kept already", name));
    } else {
      study_.metrics.push_back(name);
    }
  }
  const toml::node* metrics = text_.root().get("metrics");
  const bool empty = metrics != nullptr && metrics->is_array() && metrics->as_array()->empty();
  if (metrics != nullptr && !empty) return;
  base::SourceLocation place;
  place.file = study_.path.string();
  text_.errors().error(empty ? text_.place(*metrics) : place, "the study keeps no metric",
                       "as in metrics = [\"step_time_s\"], above the first table");
}

void StudyReader::read_metric_derived() {
  std::vector<std::string> names;
  for (const StudyExpression& derived : study_.derived) names.push_back(derived.name);
  for (const StudyMetric& metric : study_metrics(study_.command)) names.push_back(metric.name);
  study_.metric_derived = expressions_of("metric_derived");
  for (const StudyExpression& expression : study_.metric_derived) {
    if (find_metric(study_.command, expression.name) != nullptr) {
      text_.errors().error(expression.place,
                           fmt::format("'{}' is a metric of podsim {} already", expression.name, study_.command));
    }
    check_expression(expression, names);
    names.push_back(expression.name);
  }
  for (const toml::node* node : text_.strings(text_.root(), "metric_constraints", "expressions")) {
    const std::string& text = node->as_string()->get();
    study_.metric_constraints.push_back({text, text, text_.inside(*node)});
    check_expression(study_.metric_constraints.back(), names);
  }
}

void StudyReader::read_baseline() {
  const toml::table* table = text_.table("baseline");
  if (table != nullptr) study_.baseline_location = text_.place(*table);
  for (const StudyEntry& entry : table != nullptr ? text_.entries(*table) : std::vector<StudyEntry>()) {
    const auto axis = std::ranges::find(study_.axes, entry.key, &StudyAxis::key);
    if (axis == study_.axes.end()) {
      std::vector<std::string> names;
      for (const StudyAxis& a : study_.axes) names.push_back(a.key);
      text_.errors().error(entry.place, fmt::format("'{}' is not an axis", entry.key),
                           base::did_you_mean(entry.key, names));
      continue;
    }
    const std::optional<StudyValue> value = read_study_value(*keys_, entry.key, *entry.node, text_);
    if (!value) continue;
    const auto same = [&](const StudyValue& v) { return v.number ? v.number == value->number : v.text == value->text; };
    const auto found = std::ranges::find_if(axis->values, same);
    if (found == axis->values.end()) {
      text_.errors().error(text_.place(*entry.node),
                           fmt::format("'{}' is no value of the axis '{}'", value->text, axis->key));
      continue;
    }
    study_.baseline.push_back(*found);
  }
  study_.baseline_written = study_.baseline.size();
  read_baseline_of_base();
}

/// Adds baseline values for the axes that the file gives none for: the base's, else the machine's where it is fixed.
void StudyReader::read_baseline_of_base() {
  const bool one_machine = std::ranges::find(study_.axes, "machine", &StudyAxis::key) == study_.axes.end();
  for (const StudyAxis& axis : study_.axes) {
    if (std::ranges::find(study_.baseline, axis.key, &StudyValue::key) != study_.baseline.end()) continue;
    const auto base = std::ranges::find(study_.base, axis.key, &StudyValue::key);
    const base::ConfigEntry* entry = keys_->flag(axis.key) == nullptr ? keys_->machine_entry(axis.key) : nullptr;
    if (base != study_.base.end()) {
      study_.baseline.push_back(*base);
    } else if (entry != nullptr && one_machine) {
      study_.baseline.push_back({axis.key, entry->text, number_of(*entry)});
    }
  }
}

void StudyReader::read_report() {
  const toml::table* table = text_.table("report");
  if (table == nullptr) return;
  const std::vector<std::string> parts{"minimise", "maximise", "x"};
  for (const StudyEntry& entry : text_.entries(*table)) {
    if (std::ranges::find(parts, entry.key) != parts.end()) continue;
    text_.errors().error(entry.place, fmt::format("'{}' is no part of a report", entry.key),
                         base::did_you_mean(entry.key, parts));
  }
  std::vector<std::string> metrics = study_.metrics, along;
  for (const StudyExpression& derived : study_.metric_derived) metrics.push_back(derived.name);
  for (const StudyAxis& axis : study_.axes) along.push_back(axis.key);
  for (const StudyExpression& derived : study_.derived) along.push_back(derived.name);
  for (const std::string& kept : metrics) along.push_back(kept);
  const auto known = [&](const toml::node& node, const std::vector<std::string>& names, const char* what) {
    const std::string name = node.value_or(std::string());
    if (std::ranges::find(names, name) != names.end()) return true;
    text_.errors().error(text_.inside(node), fmt::format("'{}' is not {} of this study", name, what),
                         base::did_you_mean(name, names));
    return false;
  };
  std::vector<std::string> goals = metrics;
  for (const StudyExpression& derived : study_.derived) goals.push_back(derived.name);
  const auto objectives = [&](const char* part, std::vector<std::string>& into) {
    for (const toml::node* node : text_.strings(*table, part, "metrics")) {
      if (!known(*node, goals, "a metric or a derived value")) continue;
      const std::string name = node->value_or(std::string());
      if (std::ranges::count(goals, name) > 1) {
        text_.errors().error(text_.inside(*node), fmt::format("'{}' is a metric and a derived value", name),
                             "rename the derived value");
      }
      into.push_back(name);
    }
  };
  objectives("minimise", study_.report.minimise);
  objectives("maximise", study_.report.maximise);
  study_.report.x = text_.string(*table, "x");
  if (!study_.report.x.empty()) known(*table->get("x"), along, "an axis, a derived value or a metric");
}

}  // namespace podsim::studies::plan
