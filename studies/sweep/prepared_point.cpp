// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/prepared_point.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/exit_code.h"
#include "base/host/input_file.h"
#include "base/sha256.h"
#include "base/text/json_text.h"
#include "base/text/utf8.h"
#include "base/version.h"
#include "studies/plan/metrics.h"
#include "studies/plan/point_queue.h"

namespace podsim::studies::sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t id_digits = 16;

/// The words of a point are stored, and sent to its worker, as JSON.
void require_text(const std::string& word) {
  if (base::text::printable(word) == word) return;
  throw base::InputError(fmt::format("the study's points cannot name '{}': it is not a text in UTF-8", word),
                         "rename the file, or its folder");
}

void require_different(const std::vector<PreparedPoint>& points) {
  std::unordered_map<std::string, const PreparedPoint*> seen;
  for (const PreparedPoint& point : points) {
    const auto [other, first] = seen.emplace(point.id, &point);
    if (first) continue;
    throw base::InputError(fmt::format("points {} and {} of the study are the same run: {}",
                                       other->second->point.position, point.point.position, point_command(point)));
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

double take_number(Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return 0;
  const double number = *found;
  json.erase(key);
  return number;
}

/// Moves host times and cache counts out of a result.
store::PointHost take_host(Json& json, double wall_s, const std::string& node) {
  store::PointHost host;
  host.wall_s = wall_s;
  host.node = node;
  host.compile_s = take_number(json, "compile_s");
  for (const char* key : {"wall_s", "partition_s"}) take_number(json, key);
  if (const auto cache = json.find("op_cache"); cache != json.end()) {
    host.op_hits = cache->value("hits", std::int64_t(0));
    host.op_misses = cache->value("misses", std::int64_t(0));
    json.erase("op_cache");
  }
  return host;
}

std::optional<Json> parse_result(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

}  // namespace

PreparedPoint PointPreparer::prepare(plan::StudyPoint point) {
  PreparedPoint prepared{std::move(point), "", ""};
  prepared.program_key = plan::program_key(prepared.point.arguments);
  std::vector<std::string> words = prepared.point.arguments;
  std::string contents;
  for (const plan::StudyFile& file : prepared.point.files) {
    words[file.argument] = file.written;
    std::string& digest = digests_[file.path.string()];
    if (digest.empty()) digest = base::sha256(base::host::read_input("file of the study", file.path.string()));
    contents += digest + '\n';
  }
  for (const std::string& word : prepared.point.arguments) require_text(word);
  const std::string machine = machines_.toml(prepared.point.arguments);
  const Json all = {base::program_version, words, base::sha256(machine), contents};
  prepared.id = base::sha256(base::text::json_text(all)).substr(0, id_digits);
  return prepared;
}

std::vector<PreparedPoint> prepare_points(const plan::Study& study) {
  PointPreparer preparer;
  std::vector<PreparedPoint> prepared;
  for (plan::StudyPoint& point : plan::points_of(study)) prepared.push_back(preparer.prepare(std::move(point)));
  require_different(prepared);
  return prepared;
}

std::string point_command(const PreparedPoint& point) {
  return "podsim " + base::host::shell_line(point.point.arguments);
}

PointRecorder::PointRecorder(const plan::Study& study)
    : study_(study), node_(host_name()), build_(base::short_build_id()) {}

void PointRecorder::describe(const PreparedPoint& point, store::PointRecord& record) {
  record.id = point.id;
  record.position = point.point.position;
  record.command = point_command(point);
  record.machine = machines_.toml(point.point.arguments);
  record.axes = point.point.axes;
  record.derived = point.point.derived;
}

store::PointRecord PointRecorder::renewed(const PreparedPoint& point, store::PointRecord run) {
  describe(point, run);
  if (run.done) run.metrics = plan::metrics_of(study_, point.point, Json::parse(run.result));
  return run;
}

store::PointRecord PointRecorder::record(const PreparedPoint& point, const base::host::ProcessOutput& output) {
  store::PointRecord record;
  describe(point, record);
  record.exit_code = output.exit_code;
  std::optional<Json> result = output.exit_code == base::host::done ? parse_result(output.out) : std::nullopt;
  record.done = result.has_value();
  Json none = Json::object();
  record.host = take_host(result ? *result : none, output.wall_s, node_);
  record.host.build = build_;
  if (record.done) {
    record.result = result->dump();
    record.metrics = plan::metrics_of(study_, point.point, *result);
  } else {
    record.error = output.exit_code == base::host::done ? "it printed no JSON: " + base::host::last_lines(output.out)
                                                        : output.error;
  }
  return record;
}

}  // namespace podsim::studies::sweep
