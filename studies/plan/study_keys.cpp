// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/study_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "workloads/importers/importer.h"
#include "workloads/machines/model_settings.h"
#include "workloads/models/registry.h"

namespace podsim::studies::plan {

namespace {

constexpr double max_whole = 0x1p53;

bool is_whole_number(double number) { return std::abs(number) < max_whole && number == std::floor(number); }

/// Rounds a number that differs from a whole number only by rounding errors (1e-9, relative above 1).
double nearest_whole(double number) {
  const double whole = std::round(number);
  return std::abs(number - whole) <= 1e-9 * std::max(1.0, std::abs(number)) ? whole : number;
}

std::string whole_text(const std::string& key, double number) {
  const double whole = nearest_whole(number);
  if (!is_whole_number(whole)) {
    throw base::InputError(fmt::format("'{}' takes whole numbers, not {}", key, number_text(number)));
  }
  return fmt::format("{:.0f}", whole);
}

std::string quantity_text(const std::string& key, double number, base::Dimensional::Kind kind) {
  using enum base::Dimensional::Kind;
  const std::string unit = si_unit(kind);
  if (kind == bytes || kind == cycles) return fmt::format("{} {}", whole_text(key, number), unit);
  return fmt::format("{} {}", number_text(number), unit);
}

}  // namespace

std::string si_unit(base::Dimensional::Kind kind) {
  using enum base::Dimensional::Kind;
  switch (kind) {
    case duration:
      return "s";
    case frequency:
      return "Hz";
    case bandwidth:
      return "B/s";
    case bytes:
      return "B";
    case energy:
      return "J";
    case power:
      return "W";
    case cycles:
      return "cycles";
  }
  return "";
}

std::string number_text(double number) {
  if (is_whole_number(number)) return fmt::format("{:.0f}", number);
  return fmt::format("{:.10g}", number);
}

StudyKeys::StudyKeys(std::string command, base::Config machine, const std::vector<std::string>& workloads)
    : command_(std::move(command)), machine_(std::move(machine)) {
  if (command_ == "collective") return;
  takes_any_model_key_ = std::ranges::any_of(workloads, workloads::importers::has_keys);
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) {
    if (std::ranges::find(workloads, entry.name) == workloads.end()) continue;
    for (const workloads::ModelKey& key : entry.keys) {
      if (model_key(key.name) == nullptr) model_.push_back(key);
    }
  }
}

const base::ConfigEntry* StudyKeys::machine_entry(std::string_view key) const {
  return machine_.contains(key) ? &machine_.entry(key) : nullptr;
}

const workloads::ModelKey* StudyKeys::model_key(std::string_view key) const {
  const auto found = std::ranges::find(model_, key, &workloads::ModelKey::name);
  return found == model_.end() ? nullptr : &*found;
}

bool StudyKeys::is_argument(std::string_view key) const {
  return takes_any_model_key_ && key.starts_with("model.") && model_key(key) == nullptr;
}

bool StudyKeys::known(std::string_view key) const {
  return flag(key) != nullptr || machine_entry(key) != nullptr || model_key(key) != nullptr || is_argument(key);
}

std::string StudyKeys::unit(std::string_view key) const {
  if (const StudyFlag* f = flag(key)) return f->type == FlagType::bytes ? "B" : f->type == FlagType::time ? "s" : "";
  const base::ConfigEntry* entry = machine_entry(key);
  const auto* quantity = entry == nullptr ? nullptr : std::get_if<base::Dimensional>(&entry->value);
  return quantity == nullptr ? "" : si_unit(quantity->kind);
}

bool StudyKeys::is_whole(std::string_view key) const {
  if (const StudyFlag* f = flag(key)) return f->type == FlagType::whole;
  if (const base::ConfigEntry* entry = machine_entry(key)) return std::holds_alternative<std::int64_t>(entry->value);
  const workloads::ModelKey* model = model_key(key);
  return model != nullptr && model->kind == workloads::ModelValues::whole;
}

bool StudyKeys::is_number(std::string_view key) const {
  if (const StudyFlag* f = flag(key)) {
    return f->type == FlagType::whole || f->type == FlagType::number || f->type == FlagType::bytes ||
           f->type == FlagType::time;
  }
  if (const base::ConfigEntry* entry = machine_entry(key)) {
    return std::holds_alternative<std::int64_t>(entry->value) || std::holds_alternative<double>(entry->value) ||
           std::holds_alternative<base::Dimensional>(entry->value);
  }
  if (is_argument(key)) return true;
  const workloads::ModelKey* model = model_key(key);
  return model != nullptr && model->kind != workloads::ModelValues::text;
}

StudyValue StudyKeys::value(const std::string& key, double number) const {
  if (!is_number(key)) throw base::InputError(fmt::format("'{}' does not take numbers", key));
  StudyValue result{key, "", number};
  const base::ConfigEntry* entry = machine_entry(key);
  if (entry != nullptr && std::holds_alternative<base::Dimensional>(entry->value)) {
    result.text = quantity_text(key, number, std::get<base::Dimensional>(entry->value).kind);
  } else if (unit(key) == "B") {
    result.text = quantity_text(key, number, base::Dimensional::Kind::bytes);
  } else if (unit(key) == "s") {
    result.text = quantity_text(key, number, base::Dimensional::Kind::duration);
  } else {
    result.text = is_whole(key) ? whole_text(key, number) : number_text(number);
  }
  result.number = unit(key).empty() ? std::stod(result.text) : base::parse_dimensional(result.text, {}).si;
  if (const StudyFlag* f = flag(key)) check_flag_value(*f, result.text);
  const workloads::ModelKey* model = entry == nullptr ? model_key(key) : nullptr;
  if (model == nullptr) return result;
  if (const std::string problem = model->problem(result.text); !problem.empty()) {
    throw base::InputError(problem, fmt::format("{}: {}, {}", key, model->help, model->values));
  }
  return result;
}

std::string StudyKeys::unknown(std::string_view key) const {
  const auto outputs = output_flags();
  if (std::ranges::find(outputs, key) != outputs.end())
    return fmt::format("'{}' is of single runs, not of studies", key);
  for (const std::string_view other : study_commands()) {
    if (find_flag(other, key) == nullptr) continue;
    return fmt::format("'{}' is of command = \"{}\", this study is of \"{}\"", key, other, command_);
  }
  if (workloads::machines::is_model_setting(key)) return fmt::format("'{}' is not a key of the workload", key);
  return fmt::format("'{}' is neither a flag of podsim {} nor a key of {}", key, command_, machine_.name());
}

std::string StudyKeys::hint(std::string_view key) const {
  std::vector<std::string> names;
  for (const StudyFlag& f : study_flags(command_)) names.push_back(f.key);
  for (const workloads::ModelKey& model : model_) names.push_back(model.name);
  for (const base::ConfigEntry& entry : machine_.entries()) names.push_back(entry.key);
  for (const std::string& name : names) {  // the last part of the name, without its table
    const std::size_t dot = name.rfind('.');
    if (dot != std::string::npos && name.substr(dot + 1) == key) return fmt::format("did you mean '{}'?", name);
  }
  return base::did_you_mean(key, names);
}

}  // namespace podsim::studies::plan
