// SPDX-License-Identifier: Apache-2.0
#include "app/flag_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "workloads/machines.h"
#include "workloads/studies.h"
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

std::vector<NamedWord> machine_keys() {
  std::vector<NamedWord> words;
  const base::Config machine = workloads::machine_config(reference_machine);
  for (const base::ConfigEntry& entry : machine.entries()) {
    words.push_back({entry.key + "=", entry.text});
  }
  return words;
}

}  // namespace

std::string alternatives(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, "|")); }

FlagValues values_of(const CLI::Option& option) {
  using enum FlagValues::Paths;
  const std::string form = form_of(option);
  if (form.find('|') != std::string::npos) return {words_of(form), none};
  if (form.starts_with("FILE") || form == "PROFILE" || form == "[=FILE]") return {{}, files};
  if (form == "DIR") return {{}, folders};
  if (form == "MACHINE") return {machines(), files};
  if (form == "WORKLOAD") return {workload_words(), files};
  if (form == "STUDY") return {studies(), files};
  if (form == "KEY=VALUE") return {machine_keys(), none};
  return {};
}

bool takes_next_word(const CLI::Option& option) {
  return option.get_items_expected_max() > 0 && !option.get_option_text().starts_with("[=");
}

}  // namespace podsim::app
