// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/study_variables.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "noc/slice.h"
#include "workloads/machines/machines.h"
#include "workloads/machines/model_settings.h"
#include "workloads/models/registry.h"
#include "workloads/workload.h"

namespace podsim::studies::plan {

namespace {

constexpr std::array<std::string_view, 3> slice_size_names{"slice_x", "slice_y", "slice_z"};

std::optional<double> chips(const PointSettings& point) {
  const std::vector<std::int64_t> sizes = point.slice();
  if (sizes.empty()) return std::nullopt;
  double product = 1;
  for (std::int64_t size : sizes) product *= double(size);
  return product;
}

std::optional<double> slice_size(const PointSettings& point, std::string_view name) {
  const std::size_t dimension = std::size_t(std::ranges::find(slice_size_names, name) - slice_size_names.begin());
  const std::vector<std::int64_t> sizes = point.slice();
  if (dimension == slice_size_names.size() || sizes.empty()) return std::nullopt;
  return dimension < sizes.size() ? double(sizes[dimension]) : 1.0;
}

std::optional<double> model_default(const PointSettings& point, const std::string& name) {
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) {
    if (entry.name != point.text("workload")) continue;
    const auto key = std::ranges::find(entry.keys, name, &workloads::ModelKey::name);
    if (key == entry.keys.end() || key->kind == workloads::ModelValues::text) return std::nullopt;
    return std::stod(key->default_value);
  }
  return std::nullopt;
}

const StudyValue* find_in(std::span<const StudyValue> values, std::string_view key) {
  const auto found = std::ranges::find(values, key, &StudyValue::key);
  return found == values.end() ? nullptr : &*found;
}

}  // namespace

std::optional<double> number_of(const base::ConfigEntry& entry) {
  if (const auto* whole = std::get_if<std::int64_t>(&entry.value)) return double(*whole);
  if (const auto* real = std::get_if<double>(&entry.value)) return *real;
  if (const auto* quantity = std::get_if<base::Dimensional>(&entry.value)) return quantity->si;
  return std::nullopt;
}

const base::Config& MachineCache::get(const std::string& name) {
  const auto found = machines_.find(name);
  if (found != machines_.end()) return found->second;
  const std::filesystem::path path = study_file(folder_, name);
  std::error_code ignored;
  const bool file = !is_built_in_machine(name) && std::filesystem::exists(path, ignored);
  return machines_.emplace(name, workloads::machines::machine_config(file ? path.string() : name)).first->second;
}

bool is_built_in_machine(const std::string& name) {
  return std::ranges::find(workloads::machines::embedded_machines(), name,
                           &workloads::machines::EmbeddedMachine::name) !=
         workloads::machines::embedded_machines().end();
}

std::filesystem::path study_folder(const Study& study) { return study.path.parent_path(); }

std::filesystem::path study_file(const std::filesystem::path& folder, const std::string& written) {
  return (folder / written).lexically_normal();
}

const StudyValue* PointSettings::find(std::string_view key) const {
  if (const StudyValue* value = find_in(axes_, key)) return value;
  if (const StudyValue* value = find_in(derived_, key)) return value;
  return find_in(study_.base, key);
}

std::string PointSettings::text(std::string_view key, std::string_view otherwise) const {
  const StudyValue* value = find(key);
  return value == nullptr || value->text.empty() ? std::string(otherwise) : value->text;
}

std::vector<std::int64_t> PointSettings::slice() const {
  const std::string workload = text("workload");
  const bool by_name = study_.command != "collective" && workload.find_first_of("./") == std::string::npos;
  const bool by_default = by_name && text("mesh").empty() && text("sharding").empty();
  const std::string written = text("slice", by_default ? "4x4" : "");
  return written.empty() ? std::vector<std::int64_t>() : noc::parse_slice_sizes(written, {});
}

std::optional<double> point_variable(const PointSettings& point, const std::string& name, MachineCache& machines) {
  if (const StudyValue* value = point.find(name)) return value->number;
  if (name == "chips") return chips(point);
  if (name == "cores") {
    const std::optional<double> count = chips(point);
    const std::optional<double> per_chip = point_variable(point, "core.cores_per_chip", machines);
    return count && per_chip ? std::optional(*count * *per_chip) : std::nullopt;
  }
  if (name.starts_with("slice_")) return slice_size(point, name);
  if (workloads::machines::is_model_setting(name)) return model_default(point, name);
  const base::Config& machine = machines.get(point.machine());
  return machine.contains(name) ? number_of(machine.entry(name)) : std::nullopt;
}

std::vector<std::string> variable_names(const Study& study, const base::Config& machine) {
  std::vector<std::string> names{"chips", "cores"};
  names.insert(names.end(), slice_size_names.begin(), slice_size_names.end());
  for (const StudyAxis& axis : study.axes) names.push_back(axis.key);
  for (const StudyValue& value : study.base) names.push_back(value.key);
  for (const StudyExpression& derived : study.derived) names.push_back(derived.name);
  for (const base::ConfigEntry& entry : machine.entries()) {
    if (number_of(entry)) names.push_back(entry.key);
  }
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) {
    for (const workloads::ModelKey& key : entry.keys) names.push_back(key.name);
  }
  return names;
}

}  // namespace podsim::studies::plan
