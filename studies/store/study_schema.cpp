// SPDX-License-Identifier: Apache-2.0
#include "studies/store/study_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text/json_text.h"
#include "studies/plan/metrics.h"
#include "studies/store/sqlite_database.h"
#include "studies/store/study_store.h"

namespace podsim::studies::store {
namespace {

using Json = nlohmann::ordered_json;

Json axes_json(const plan::Study& study) {
  Json axes = Json::array();
  for (const plan::StudyAxis& axis : study.axes) {
    Json values = Json::array();
    for (const plan::StudyValue& value : axis.values) {
      values.push_back({{"text", value.text}, {"number", value.number ? Json(*value.number) : Json(nullptr)}});
    }
    axes.push_back({{"name", axis.key}, {"unit", axis.unit}, {"group", axis.group}, {"values", values}});
  }
  return axes;
}

Json derived_json(const plan::Study& study) {
  Json names = Json::array();
  for (const plan::StudyExpression& derived : study.derived) names.push_back(derived.name);
  return names;
}

std::string unit_of_metric(const std::string& command, const std::string& metric) {
  const std::vector<plan::StudyMetric>& known = plan::study_metrics(command);
  const auto found = std::ranges::find(known, metric, &plan::StudyMetric::name);
  return found == known.end() ? "" : found->unit;
}

Json metrics_json(const plan::Study& study) {
  Json metrics = Json::array();
  for (const std::string& name : study.metrics) {
    metrics.push_back({{"name", name}, {"unit", unit_of_metric(study.command, name)}, {"derived", false}});
  }
  for (const plan::StudyExpression& derived : study.metric_derived) {
    metrics.push_back({{"name", derived.name}, {"unit", ""}, {"derived", true}});
  }
  if (plan::has_eligible(study)) metrics.push_back({{"name", plan::eligible_metric}, {"unit", ""}, {"derived", true}});
  return metrics;
}

Json search_json(const plan::Study& study) {
  const plan::StudySearch& search = *study.search;
  Json json = {{"method", plan::to_string(search.method)},
               {"points", search.points},
               {"seed", search.seed},
               {"space", plan::study_size(study)}};
  if (search.method == plan::SearchMethod::gaussian) {
    json["batch"] = search.batch;
    json["begin"] = search.begin;
  } else if (search.method == plan::SearchMethod::halving) {
    json["fidelity"] = search.fidelity;
    json["keep"] = search.keep;
  }
  return json;
}

/// Columns of the view, with distinct names.
class ViewColumns {
 public:
  void add(const std::string& name, const std::string& kind, const std::string& select) {
    const bool free = names_.insert(name).second;
    text_ += fmt::format(",\n  ({}) AS {}", select, sql_name(free ? name : fmt::format("{} ({})", name, kind)));
  }
  const std::string& text() const { return text_; }

 private:
  std::set<std::string> names_{"id", "position", "status"};
  std::string text_;
};

std::string select_value(const std::string& name) {
  return "SELECT coalesce(number, text) FROM axis_values WHERE point = p.id AND axis = " + sql_text(name);
}

}  // namespace

std::string study_tables() {
  return R"(
CREATE TABLE study(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE machines(hash TEXT PRIMARY KEY, toml TEXT NOT NULL);
CREATE TABLE points(
  id TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
  exit_code INTEGER NOT NULL,
  error TEXT NOT NULL,
  command TEXT NOT NULL,
  machine TEXT REFERENCES machines(hash),
  result TEXT
);
CREATE TABLE axis_values(
  point TEXT NOT NULL REFERENCES points(id),
  axis TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('axis', 'derived')),
  text TEXT NOT NULL,
  number REAL,
  PRIMARY KEY (point, axis)
);
CREATE TABLE metrics(
  point TEXT NOT NULL REFERENCES points(id),
  metric TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (point, metric)
);
CREATE TABLE host(
  point TEXT PRIMARY KEY REFERENCES points(id),
  wall_s REAL NOT NULL,
  compile_s REAL NOT NULL,
  op_hits INTEGER NOT NULL,
  op_misses INTEGER NOT NULL,
  node TEXT NOT NULL,
  build TEXT NOT NULL DEFAULT ''
);
)";
}

std::string study_view(const plan::Study& study) {
  ViewColumns columns;
  for (const plan::StudyAxis& axis : study.axes) columns.add(axis.key, "axis", select_value(axis.key));
  for (const plan::StudyExpression& derived : study.derived) {
    columns.add(derived.name, "derived", select_value(derived.name));
  }
  auto add_metric = [&](const std::string& name) {
    columns.add(name, "metric", "SELECT value FROM metrics WHERE point = p.id AND metric = " + sql_text(name));
  };
  for (const std::string& metric : study.metrics) add_metric(metric);
  for (const plan::StudyExpression& metric : study.metric_derived) add_metric(metric.name);
  if (plan::has_eligible(study)) add_metric(plan::eligible_metric);
  return fmt::format(
      "DROP VIEW IF EXISTS results;\n"
      "CREATE VIEW results AS SELECT p.id AS id, p.position AS position, p.status AS status{}\n"
      "FROM points AS p ORDER BY p.position;\n",
      columns.text());
}

std::vector<std::pair<std::string, std::string>> study_facts(const plan::Study& study, const std::string& program,
                                                             const std::string& baseline) {
  Json report = {{"minimise", study.report.minimise}, {"maximise", study.report.maximise}, {"x", study.report.x}};
  if (plan::has_eligible(study)) report["eligible"] = plan::eligible_metric;
  std::vector<std::pair<std::string, std::string>> facts = {{"schema_version", std::to_string(study_schema_version)},
                                                            {"name", study.name},
                                                            {"title", study.title},
                                                            {"question", study.question},
                                                            {"program", program},
                                                            {"text", study.text},
                                                            {"command", study.command},
                                                            {"mode", plan::to_string(study.mode)},
                                                            {"axes", base::text::json_text(axes_json(study))},
                                                            {"derived", base::text::json_text(derived_json(study))},
                                                            {"metrics", base::text::json_text(metrics_json(study))},
                                                            {"report", base::text::json_text(report)},
                                                            {"baseline", baseline}};
  facts.emplace_back("search", study.search ? base::text::json_text(search_json(study)) : "");
  return facts;
}

}  // namespace podsim::studies::store
