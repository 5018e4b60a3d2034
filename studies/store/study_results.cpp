// SPDX-License-Identifier: Apache-2.0
#include "studies/store/study_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "studies/store/sqlite_database.h"
#include "studies/store/study_store.h"

namespace podsim::studies::store {
namespace {

using Json = nlohmann::ordered_json;

template <class Names>
std::optional<std::size_t> index_of(const Names& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return std::size_t(found - names.begin());
}

/// Contents of the table `study`.
class Facts {
 public:
  explicit Facts(const SqliteDatabase& database) : file_(database.file()) {
    SqliteStatement rows = database.select("study", "key, value");
    while (rows.step()) facts_[rows.text(0)] = rows.text(1);
  }
  std::string text(const std::string& key) const {
    const auto found = facts_.find(key);
    return found == facts_.end() ? "" : found->second;
  }
  /// The JSON list, or with `object` the JSON object, of a fact is given to `read`. InputError if it is none, or not
  /// what `read` takes.
  void json(const std::string& key, bool object, const std::function<void(const Json&)>& read) const {
    const Json json = Json::parse(text(key), nullptr, false);
    try {
      if (object ? !json.is_object() : !json.is_array()) reject(key);
      read(json);
    } catch (const Json::exception&) {
      reject(key);
    }
  }

 private:
  [[noreturn]] void reject(const std::string& key) const {
    throw base::InputError(
        fmt::format("cannot use the database '{}': in the table 'study', row '{}', the column "
                    "'value' is not the JSON that describes a study",
                    file_, key));
  }

  std::string file_;
  std::map<std::string, std::string> facts_;
};

std::vector<Objective> read_objectives(const Json& report, const StudyResults& results) {
  std::vector<Objective> objectives;
  for (const auto& [key, direction] :
       {std::pair{"minimise", Direction::minimise}, std::pair{"maximise", Direction::maximise}}) {
    for (const Json& name : report.at(key)) {
      if (const auto variable = results.find(name.get<std::string>())) objectives.push_back({*variable, direction});
    }
  }
  return objectives;
}

/// "A Gaussian process with seed 1 chose the points from 1,200 combinations."
std::string search_text(const Json& search) {
  const std::string method = search.at("method");
  const std::string who = method == "gaussian" ? "A Gaussian process"
                          : method == "halving"
                              ? fmt::format("Successive halving over {}", search.at("fidelity").get<std::string>())
                              : "A random search";
  return fmt::format("{} with seed {} chose the points from {} combinations of the axes.", who,
                     search.at("seed").get<std::int64_t>(), search.at("space").get<std::int64_t>());
}

using PointIndex = std::map<std::string, std::size_t, std::less<>>;

PointIndex read_points(const SqliteDatabase& database, StudyResults& results) {
  PointIndex index;
  SqliteStatement rows =
      database.select("points", "id, position, status, exit_code, error, command, machine", "ORDER BY position, id");
  while (rows.step()) {
    ResultPoint point;
    point.id = rows.text(0);
    point.position = rows.whole(1);
    point.done = rows.text(2) == "done";
    point.exit_code = int(rows.whole(3));
    point.error = rows.text(4);
    point.command = rows.text(5);
    point.machine = rows.text_or_empty(6);
    point.axes.resize(results.axes.size());
    point.derived.resize(results.derived.size());
    point.metrics.resize(results.metrics.size());
    index[point.id] = results.points.size();
    results.points.push_back(std::move(point));
  }
  return index;
}

void read_values(const SqliteDatabase& database, const PointIndex& index, StudyResults& results) {
  std::vector<std::string> axes;
  for (const ResultAxis& axis : results.axes) axes.push_back(axis.name);
  SqliteStatement values = database.select("axis_values", "point, axis, text, number");
  while (values.step()) {
    const auto found = index.find(values.text(0));
    if (found == index.end()) continue;
    ResultPoint& point = results.points[found->second];
    ResultValue value{values.text(2), values.number(3)};
    if (const auto axis = index_of(axes, values.text(1))) {
      point.axes[*axis] = std::move(value);
    } else if (const auto derived = index_of(results.derived, values.text(1))) {
      point.derived[*derived] = std::move(value);
    }
  }
  SqliteStatement metrics = database.select("metrics", "point, metric, value");
  while (metrics.step()) {
    const auto found = index.find(metrics.text(0));
    const auto metric = index_of(results.metrics, metrics.text(1));
    if (found != index.end() && metric) results.points[found->second].metrics[*metric] = metrics.number(2);
  }
}

void collect_axis_values(StudyResults& results) {
  for (std::size_t i = 0; i < results.axes.size(); ++i) {
    std::vector<ResultValue>& values = results.axes[i].values;
    for (const ResultPoint& point : results.points) {
      if (std::ranges::find(values, point.axes[i]) == values.end()) values.push_back(point.axes[i]);
    }
    if (results.axes[i].numeric()) std::ranges::stable_sort(values, {}, &ResultValue::number);
  }
}

/// Reads the builds, and adds up the host's cost; databases of earlier versions of the program have no builds.
void read_host(const SqliteDatabase& database, const PointIndex& index, StudyResults& results) {
  SqliteStatement column = database.prepare("SELECT count(*) FROM pragma_table_info('host') WHERE name = 'build'");
  const bool has_builds = column.step() && column.whole(0) > 0;
  SqliteStatement rows = database.select(
      "host", fmt::format("point, wall_s, compile_s, op_hits, op_misses, {} AS build", has_builds ? "build" : "''"));
  while (rows.step()) {
    const auto found = index.find(rows.text(0));
    if (found != index.end()) results.points[found->second].build = rows.text(5);
    ++results.host.points;
    results.host.wall_s += rows.number(1).value_or(0);
    results.host.compile_s += rows.number(2).value_or(0);
    results.host.op_hits += rows.whole(3);
    results.host.op_misses += rows.whole(4);
  }
}

/// Reads axes, derived values and metrics in the order of the study, and the report's objectives and x.
void read_names(const Facts& facts, StudyResults& results) {
  facts.json("axes", false, [&](const Json& axes) {
    for (const Json& axis : axes) results.axes.push_back({axis.at("name"), axis.at("group"), {}});
  });
  facts.json("derived", false, [&](const Json& names) {
    for (const Json& name : names) results.derived.push_back(name);
  });
  facts.json("metrics", false, [&](const Json& metrics) {
    for (const Json& metric : metrics) {
      results.metrics.push_back(metric.at("name"));
      results.metric_units.push_back(metric.at("unit"));
    }
  });
  facts.json("report", true, [&](const Json& report) {
    results.objectives = read_objectives(report, results);
    results.x = report.at("x");
    const auto eligible = results.find(report.value("eligible", std::string()));
    if (eligible && eligible->kind == Variable::Kind::metric) results.eligible = eligible->index;
  });
  if (!facts.text("search").empty()) {
    facts.json("search", true, [&](const Json& search) { results.search = search_text(search); });
  }
}

}  // namespace

bool ResultAxis::numeric() const {
  return !values.empty() &&
         std::ranges::all_of(values, [](const ResultValue& value) { return value.number.has_value(); });
}

std::vector<Variable> StudyResults::variables() const {
  std::vector<Variable> all;
  for (std::size_t i = 0; i < axes.size(); ++i) all.push_back({Variable::Kind::axis, i});
  for (std::size_t i = 0; i < derived.size(); ++i) all.push_back({Variable::Kind::derived, i});
  for (std::size_t i = 0; i < metrics.size(); ++i) all.push_back({Variable::Kind::metric, i});
  return all;
}

std::optional<Variable> StudyResults::find(std::string_view wanted) const {
  for (const Variable& variable : variables()) {
    if (name_of(variable) == wanted) return variable;
  }
  return std::nullopt;
}

const std::string& StudyResults::name_of(const Variable& variable) const {
  if (variable.kind == Variable::Kind::axis) return axes[variable.index].name;
  return variable.kind == Variable::Kind::derived ? derived[variable.index] : metrics[variable.index];
}

std::optional<double> StudyResults::number(const ResultPoint& point, const Variable& variable) const {
  if (variable.kind == Variable::Kind::axis) return point.axes[variable.index].number;
  return variable.kind == Variable::Kind::derived ? point.derived[variable.index].number
                                                  : point.metrics[variable.index];
}

bool StudyResults::may_be_best(const ResultPoint& point) const {
  return point.done && !(eligible && point.metrics[*eligible] == 0);
}

StudyResults read_study_results(const std::filesystem::path& file) {
  SqliteDatabase database(file, SqliteDatabase::Access::read);
  database.execute("BEGIN");  // a consistent view of all tables
  require_study_of_this_schema(database);
  const Facts facts(database);
  StudyResults results;
  results.path = file;
  results.name = facts.text("name");
  results.title = facts.text("title");
  results.question = facts.text("question");
  results.program = facts.text("program");
  results.text = facts.text("text");
  read_names(facts, results);
  const PointIndex index = read_points(database, results);
  read_values(database, index, results);
  collect_axis_values(results);
  if (const auto found = index.find(facts.text("baseline")); found != index.end()) results.baseline = found->second;
  SqliteStatement machines = database.select("machines", "hash, toml");
  while (machines.step()) results.machines[machines.text(0)] = machines.text(1);
  read_host(database, index, results);
  return results;
}

std::optional<std::filesystem::path> find_study_database(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw base::InputError(fmt::format("there is no '{}'", path.string()));
  if (path.extension() == ".toml") {
    const std::filesystem::path folder = path.parent_path() / path.stem();
    throw base::InputError(fmt::format("'{}' is the file of a study; what it found is in a folder", path.string()),
                           std::filesystem::is_directory(folder, ignored)
                               ? fmt::format("did you mean '{}'?", folder.string())
                               : "the one that 'podsim sweep' named");
  }
  if (!std::filesystem::is_directory(path, ignored)) return path;
  std::optional<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
    if (entry.path().extension() != ".sqlite") continue;
    if (found) throw base::InputError(fmt::format("{} holds several studies", path.string()), "name one .sqlite file");
    found = entry.path();
  }
  return found;
}

}  // namespace podsim::studies::store
