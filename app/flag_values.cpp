// SPDX-License-Identifier: Apache-2.0
#include "app/flag_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "workloads/machines.h"
#include "workloads/studies.h"
#include "workloads/study/chart_marks.h"
#include "workloads/study/point_comparison.h"
#include "workloads/study/study_results.h"
#include "workloads/workload.h"

namespace podsim::app {
namespace {

constexpr const char* reference_machine = "tpu-v3";

/// What names the kind of an option's values.
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
  for (const std::string& name : workloads::machine_names()) words.push_back({name, "built in"});
  return words;
}

std::vector<NamedWord> workload_words() {
  std::vector<NamedWord> words;
  for (const workloads::WorkloadEntry& entry : workloads::workload_registry()) {
    words.push_back({entry.name, entry.description});
  }
  return words;
}

std::vector<NamedWord> studies() {
  std::vector<NamedWord> words;
  for (const workloads::EmbeddedStudy& study : workloads::embedded_studies()) words.push_back({study.name, "built in"});
  return words;
}

/// Of the machine, and of the workload behind them.
std::vector<NamedWord> keys(const std::string& workload) {
  std::vector<NamedWord> words;
  const base::Config machine = workloads::machine_config(reference_machine);
  for (const base::ConfigEntry& entry : machine.entries()) {
    words.push_back({entry.key + "=", entry.text});
  }
  const auto& entries = workloads::workload_registry();
  const auto entry = std::ranges::find(entries, workload, &workloads::WorkloadEntry::name);
  if (entry == entries.end()) return words;
  for (const workloads::ModelKey& key : entry->keys) {
    words.push_back({key.name + "=", fmt::format("{} [{}]", key.help, key.default_value)});
  }
  return words;
}

/// What is being written names a study up to its last colon.
std::vector<NamedWord> points(const std::string& current) {
  const auto reference = workloads::point_reference(current);
  if (!reference) return {};
  const workloads::StudyResults study = workloads::read_study_results(reference->first);
  const std::string path = current.substr(0, current.rfind(':') + 1);
  std::vector<NamedWord> words;
  if (study.baseline) words.push_back({path + "baseline", workloads::point_name(study, *study.baseline)});
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    words.push_back({path + std::to_string(study.points[i].position), workloads::point_name(study, i)});
  }
  return words;
}

/// Of the study whose database or folder is named.
std::vector<NamedWord> study_names(const std::string& form, const std::vector<std::string>& arguments) {
  const auto database = arguments.empty() ? std::nullopt : workloads::find_study_database(arguments.front());
  if (!database) return {};
  const workloads::StudyResults study = workloads::read_study_results(*database);
  std::vector<NamedWord> words;
  if (form == "AXIS=VALUE") {
    for (const workloads::ResultAxis& axis : study.axes) {
      words.push_back({axis.name + "=any", ""});
      for (const workloads::ResultValue& value : axis.values)
        words.push_back({axis.name + "=" + workloads::axis_text(value), ""});
    }
    return words;
  }
  for (const workloads::Variable& variable : study.variables()) {
    const bool is_axis = variable.kind == workloads::Variable::Kind::axis;
    const bool is_metric = variable.kind == workloads::Variable::Kind::metric;
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

}  // namespace podsim::app
