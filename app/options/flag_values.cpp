// SPDX-License-Identifier: Apache-2.0
#include "app/options/flag_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "studies/charts/chart_marks.h"
#include "studies/shipped/studies.h"
#include "studies/store/point_comparison.h"
#include "studies/store/study_results.h"
#include "workloads/machines/machines.h"
#include "workloads/models/registry.h"
#include "workloads/workload.h"

namespace podsim::app::options {
namespace {

constexpr const char* reference_machine = "tpu-v3";

/// The text that gives the kind of an option's values.
std::string form_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (!type.empty() && type != "TEXT") return type;
  const std::string text = option.get_option_text();
  return text.find_first_not_of(' ') == std::string::npos ? option.get_name(true) : text;
}

bool is_word(const std::string& text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::vector<NamedWord> words_of(const std::string& form) {
  std::vector<NamedWord> words;
  for (std::size_t begin = 0; begin <= form.size();) {
    const std::size_t end = std::min(form.find('|', begin), form.size());
    const std::string word = form.substr(begin, end - begin);
    if (is_word(word)) words.push_back({word, ""});
    begin = end + 1;
  }
  return words;
}

std::vector<NamedWord> machines() {
  std::vector<NamedWord> words;
  for (const std::string& name : workloads::machines::machine_names()) words.push_back({name, "built in"});
  return words;
}

std::vector<NamedWord> workload_words() {
  std::vector<NamedWord> words;
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) {
    words.push_back({entry.name, entry.description});
  }
  return words;
}

std::vector<NamedWord> studies() {
  std::vector<NamedWord> words;
  for (const studies::shipped::EmbeddedStudy& study : studies::shipped::embedded_studies())
    words.push_back({study.name, "built in"});
  return words;
}

/// Keys of the machine, then of the workload.
std::vector<NamedWord> keys(const std::string& workload) {
  std::vector<NamedWord> words;
  const base::Config machine = workloads::machines::machine_config(reference_machine);
  for (const base::ConfigEntry& entry : machine.entries()) {
    words.push_back({entry.key + "=", entry.text});
  }
  const auto& entries = workloads::models::workload_registry();
  const auto entry = std::ranges::find(entries, workload, &workloads::WorkloadEntry::name);
  if (entry == entries.end()) return words;
  for (const workloads::ModelKey& key : entry->keys) {
    words.push_back({key.name + "=", fmt::format("{} [{}]", key.help, key.default_value)});
  }
  return words;
}

/// Points of a study; the text before the last colon names the study.
std::vector<NamedWord> points(const std::string& current) {
  const auto reference = studies::store::point_reference(current);
  if (!reference) return {};
  const studies::store::StudyResults study = studies::store::read_study_results(reference->first);
  const std::string path = current.substr(0, current.rfind(':') + 1);
  std::vector<NamedWord> words;
  if (study.baseline) words.push_back({path + "baseline", studies::charts::point_name(study, *study.baseline)});
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    words.push_back({path + std::to_string(study.points[i].position), studies::charts::point_name(study, i)});
  }
  return words;
}

/// Names in the study with the database or folder `arguments[0]`.
std::vector<NamedWord> study_names(const std::string& form, const std::vector<std::string>& arguments) {
  const auto database = arguments.empty() ? std::nullopt : studies::store::find_study_database(arguments.front());
  if (!database) return {};
  const studies::store::StudyResults study = studies::store::read_study_results(*database);
  std::vector<NamedWord> words;
  if (form == "AXIS=VALUE") {
    for (const studies::store::ResultAxis& axis : study.axes) {
      words.push_back({axis.name + "=any", ""});
      for (const studies::store::ResultValue& value : axis.values)
        words.push_back({axis.name + "=" + studies::charts::axis_text(value), ""});
    }
    return words;
  }
  for (const studies::store::Variable& variable : study.variables()) {
    const bool is_axis = variable.kind == studies::store::Variable::Kind::axis;
    const bool is_metric = variable.kind == studies::store::Variable::Kind::metric;
    if (form == "VARIABLE" || (form == "AXIS" ? is_axis : is_metric)) words.push_back({study.name_of(variable), ""});
  }
  if (form == "AXIS") words.push_back({"none", ""});
  return words;
}

}  // namespace

std::string alternatives(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, "|")); }

FlagValues values_of(const CLI::Option& option, const std::string& current, const std::vector<std::string>& arguments) {
  using enum FlagValues::Paths;
  const std::string form = form_of(option);
  if (form.find('|') != std::string::npos || is_word(form)) return {words_of(form), none};
  if (form.starts_with("FILE") || form == "PROFILE" || form == "[=FILE]") return {{}, files};
  if (form == "DIR") return {{}, folders};
  if (form == "MACHINE") return {machines(), files};
  if (form == "WORKLOAD") return {workload_words(), files};
  if (form == "STUDY") return {studies(), files};
  if (form == "KEY=VALUE") return {keys(arguments.empty() ? "" : arguments.front()), none};
  if (form == "RUN") return {points(current), folders};
  if (form == "METRIC" || form == "VARIABLE" || form.starts_with("AXIS")) return {study_names(form, arguments), none};
  return {};
}

bool takes_next_word(const CLI::Option& option) {
  return option.get_items_expected_max() > 0 && !option.get_option_text().starts_with("[=");
}

}  // namespace podsim::app::options
