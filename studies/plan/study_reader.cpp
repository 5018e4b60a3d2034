// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/study_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include "hlo/spmd/mesh/sharding_file.h"
#include "studies/plan/study_values.h"
#include "workloads/importers/importer.h"
#include "workloads/machines/machines.h"
#include "workloads/machines/model_settings.h"
#include "workloads/models/registry.h"

namespace podsim::studies::plan {

namespace {

const std::vector<std::string>& file_keys() {
  static const std::vector<std::string> names{
      "title",    "question", "mode",  "metrics", "constraints",    "metric_constraints",
      "base",     "axes",     "zip",   "derived", "metric_derived", "point",
      "baseline", "report",   "search"};
  return names;
}

/// Appends the strings in a value or a list.
void strings_in(const toml::node& node, std::vector<std::string>& strings) {
  if (const auto* text = node.as_string()) strings.push_back(text->get());
  const toml::array* array = node.as_array();
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) strings_in(*array->get(i), strings);
}

bool is_built_in(const std::string& workload) {
  return std::ranges::find(workloads::models::workload_registry(), workload, &workloads::WorkloadEntry::name) !=
         workloads::models::workload_registry().end();
}

base::InputError unknown_workload(const std::string& name) {
  std::vector<std::string> names;
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) names.push_back(entry.name);
  const std::string nearest = base::did_you_mean(name, names);
  return base::InputError(fmt::format("'{}' is not a workload", name),
                          nearest.empty() ? fmt::format("one of {}, or a file", fmt::join(names, ", ")) : nearest);
}

std::string read_whole(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw base::InputError(fmt::format("'{}' is a directory, not a file", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw base::InputError(fmt::format("cannot read '{}'", path.string()));
  return std::move(text).str();
}

}  // namespace

void StudyReader::read() {
  read_head();
  find_entries();
  find_keys();
  read_base();
  read_axes();
  require_keys();
  read_expressions();
  read_metrics();
  read_metric_derived();
  read_baseline();
  read_report();
  read_search();
  text_.errors().throw_if_any();
}

void StudyReader::read_head() {
  for (auto&& [name, node] : text_.root()) {
    const std::string key(name.str());
    if (std::ranges::find(file_keys(), key) != file_keys().end()) continue;
    const bool of_a_run = std::ranges::any_of(
        study_commands(), [&](std::string_view command) { return find_flag(command, key) != nullptr; });
    text_.errors().error(
        text_.place_of_key(name), fmt::format("'{}' is not a key of a study", key),
        of_a_run ? "what a point runs stands in [base] and [axes]" : base::did_you_mean(key, file_keys()));
  }
  study_.title = text_.string(text_.root(), "title");
  study_.question = text_.string(text_.root(), "question");
  if (study_.title.empty()) study_.title = study_.name;
  const toml::node* mode = text_.root().get("mode");
  if (mode == nullptr) {
    study_.mode = text_.root().contains("point") ? StudyMode::list : StudyMode::grid;
    return;
  }
  const std::string written = text_.string(text_.root(), "mode");
  const std::vector<std::string> modes{"grid", "zip", "list"};
  const auto found = std::ranges::find(modes, written);
  if (found == modes.end()) {
    if (!mode->is_string()) return;
    text_.errors().error(text_.place(*mode), fmt::format("'{}' is not a mode", written), "grid, zip or list");
    return;
  }
  study_.mode = StudyMode(found - modes.begin());
}

/// Finds the entries of the base and of the axes, the latter in the order of the file.
void StudyReader::find_entries() {
  study_.command = "run";
  if (const toml::table* base = text_.table("base")) {
    base_entries_ = text_.entries(*base);
    if (base->contains("command")) study_.command = text_.string(*base, "command");
    std::erase_if(base_entries_, [](const StudyEntry& entry) { return entry.key == "command"; });
    const auto known = study_commands();
    if (std::ranges::find(known, study_.command) == known.end()) {
      text_.errors().error(text_.place(*base->get("command")), fmt::format("studies do not run '{}'", study_.command),
                           fmt::format("one of: {}", fmt::join(known, ", ")));
      study_.command = "run";
    }
  }
  int group = 0;
  if (const toml::table* axes = text_.table("axes")) {
    for (StudyEntry& entry : text_.entries(*axes)) {
      raw_axes_.push_back({std::move(entry), study_.mode == StudyMode::grid ? group++ : 0, {}});
    }
  }
  for (const toml::table* zip : text_.tables("zip")) {
    if (study_.mode != StudyMode::grid) text_.errors().error(text_.place(*zip), "[[zip]] is of mode = \"grid\"");
    for (StudyEntry& entry : text_.entries(*zip)) raw_axes_.push_back({std::move(entry), group, {}});
    ++group;
  }
  find_axes_of_points();
  std::ranges::stable_sort(raw_axes_, {},
                           [](const RawAxis& a) { return std::pair(a.entry.place.line, a.entry.place.column); });
  // Groups in the order of their first axes.
  std::vector<int> order;
  for (RawAxis& raw : raw_axes_) {
    auto found = std::ranges::find(order, raw.group);
    if (found == order.end()) found = order.insert(order.end(), raw.group);
    raw.group = int(found - order.begin());
  }
}

void StudyReader::find_axes_of_points() {
  const std::vector<const toml::table*> points = text_.tables("point");
  if (study_.mode != StudyMode::list) {
    if (!points.empty()) text_.errors().error(text_.place(*points.front()), "[[point]] is of mode = \"list\"");
    return;
  }
  if (!raw_axes_.empty()) {
    text_.errors().error(raw_axes_.front().entry.place, "a list of points has [[point]] tables, not [axes]");
    raw_axes_.clear();
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (StudyEntry& entry : text_.entries(*points[i])) {
      auto axis = std::ranges::find(raw_axes_, entry.key, [](const RawAxis& raw) { return raw.entry.key; });
      if (axis == raw_axes_.end()) axis = raw_axes_.insert(raw_axes_.end(), {entry, 0, {}});
      axis->rows.resize(points.size());
      axis->rows[i] = entry.node;
    }
  }
}

std::vector<std::string> StudyReader::written_values(std::string_view key) const {
  std::vector<std::string> values;
  for (const StudyEntry& entry : base_entries_) {
    if (entry.key == key) strings_in(*entry.node, values);
  }
  for (const RawAxis& raw : raw_axes_) {
    if (raw.entry.key != key) continue;
    if (raw.rows.empty()) strings_in(*raw.entry.node, values);
    for (const toml::node* row : raw.rows) {
      if (row != nullptr) strings_in(*row, values);
    }
  }
  return values;
}

/// Sets keys_. A machine that cannot be read is reported later, where the file names it.
void StudyReader::find_keys() {
  for (const std::string& name : written_values("workload")) {
    if (is_built_in(name) || workloads::importers::has_keys(name)) workloads_.push_back(name);
  }
  const std::vector<std::string> machines = written_values("machine");
  MachineCache cache(study_folder(study_));
  std::optional<base::Config> schema;
  try {
    schema = cache.get(machines.empty() ? "tpu-v3" : machines.front());
  } catch (const base::InputError&) {
    schema = cache.get("tpu-v3");
  }
  keys_.emplace(study_.command, *std::move(schema), workloads_);
}

bool StudyReader::is_key(const StudyEntry& entry) {
  if (keys_->known(entry.key)) return true;
  const bool misplaced = std::ranges::find(file_keys(), entry.key) != file_keys().end();
  if (misplaced) {
    text_.errors().error(entry.place, fmt::format("'{}' is of the study, not of a table", entry.key),
                         "write it above the first table");
    return false;
  }
  std::string hint = keys_->hint(entry.key);
  if (hint.empty() && workloads::machines::is_model_setting(entry.key) && workloads_.empty()) {
    hint = "keys of a model are of built-in workloads";
  }
  text_.errors().error(entry.place, keys_->unknown(entry.key), std::move(hint));
  return false;
}

void StudyReader::read_base() {
  for (const StudyEntry& entry : base_entries_) {
    if (!is_key(entry)) continue;
    std::optional<StudyValue> value = read_study_value(*keys_, entry.key, *entry.node, text_);
    if (!value) continue;
    check_file(*value, text_.inside(*entry.node));
    study_.base.push_back(*std::move(value));
    study_.base_locations.push_back(text_.place(*entry.node));
  }
}

StudyAxis StudyReader::axis_of_rows(const RawAxis& raw) {
  StudyAxis axis{raw.entry.key, keys_->unit(raw.entry.key), {}, {}, raw.group};
  const auto of_base = std::ranges::find(study_.base, axis.key, &StudyValue::key);
  const std::vector<const toml::table*> points = text_.tables("point");
  for (std::size_t i = 0; i < raw.rows.size(); ++i) {
    std::optional<StudyValue> value;
    if (raw.rows[i] != nullptr) {
      value = read_study_value(*keys_, axis.key, *raw.rows[i], text_);
    } else if (of_base != study_.base.end()) {
      value = *of_base;
    } else {
      text_.errors().error(text_.place(*points[i]), fmt::format("this point has no '{}'", axis.key),
                           "give it here or in [base]");
    }
    axis.values.push_back(value.value_or(StudyValue{axis.key, "", std::nullopt}));
    axis.places.push_back(text_.place(raw.rows[i] != nullptr ? *raw.rows[i] : *points[i]));
  }
  return axis;
}

void StudyReader::read_axes() {
  for (const RawAxis& raw : raw_axes_) {
    if (!is_key(raw.entry)) continue;
    const auto twice = std::ranges::find(study_.axes, raw.entry.key, &StudyAxis::key);
    if (twice != study_.axes.end()) {
      text_.errors().error(raw.entry.place, fmt::format("'{}' is an axis already", raw.entry.key));
      continue;
    }
    StudyAxis axis = raw.rows.empty() ? read_study_axis(*keys_, raw.entry, text_) : axis_of_rows(raw);
    axis.group = raw.group;
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      check_file(axis.values[i], base::inside_quotes(axis.places[i]));
    }
    study_.axes.push_back(std::move(axis));
  }
  if (raw_axes_.empty()) {
    base::SourceLocation place;
    place.file = study_.path.string();
    text_.errors().error(place, "the study has no axis", "as in [axes] with batch_per_core = [32, 64]");
  }
  if (text_.errors().empty()) check_groups();
}

void StudyReader::check_groups() {
  for (const StudyAxis& first : study_.axes) {
    if (&first != &*std::ranges::find(study_.axes, first.group, &StudyAxis::group)) continue;
    std::vector<const StudyAxis*> group;
    bool equal = true;
    for (const StudyAxis& axis : study_.axes) {
      if (axis.group != first.group) continue;
      group.push_back(&axis);
      if (axis.values.size() == first.values.size()) continue;
      equal = false;
      text_.errors().error(
          axis.places.front(),
          fmt::format("'{}' has {} values, '{}' has {}", axis.key, axis.values.size(), first.key, first.values.size()),
          "axes that move together are equally long");
    }
    if (equal) refuse_repeated(group, text_);
  }
}

void StudyReader::check_file(const StudyValue& value, const base::SourceLocation& place) {
  if (value.text.empty()) return;
  const std::filesystem::path folder = study_folder(study_);
  const std::filesystem::path path = study_file(folder, workloads::importers::file_of(value.text));
  text_.errors().collect(place, [&] {
    if (value.key == "machine") static_cast<void>(MachineCache(folder).get(value.text));
    if (value.key == "sharding")
      static_cast<void>(hlo::spmd::mesh::read_sharding_file(path.string(), read_whole(path)));
    if (value.key != "workload" || is_built_in(value.text)) return;
    const workloads::importers::Importer* importer = workloads::importers::importer_of(value.text);
    if (importer == nullptr) throw unknown_workload(value.text);
    if (!importer->is_step) {
      throw base::InputError(fmt::format("{} has no step: studies are of programs that become one", importer->what));
    }
    static_cast<void>(read_whole(path));
  });
}

void StudyReader::require_keys() {
  for (const std::string& key : required_flags(study_.command)) {
    const auto is_it = [&](const auto& value) { return value.key == key; };
    const bool given = std::ranges::any_of(base_entries_, is_it) ||
                       std::ranges::any_of(raw_axes_, [&](const RawAxis& raw) { return raw.entry.key == key; });
    if (given) continue;
    const toml::node* base = text_.root().get("base");
    base::SourceLocation place;
    place.file = study_.path.string();
    text_.errors().error(base == nullptr ? place : text_.place(*base),
                         fmt::format("nothing says which '{}' podsim {} has", key, study_.command), "set it in [base]");
  }
}

}  // namespace podsim::studies::plan
