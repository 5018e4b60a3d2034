// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/study_values.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "base/dimensional.h"
#include "studies/plan/study_range.h"
#include "studies/plan/study_variables.h"

namespace podsim::studies::plan {

namespace {

std::optional<double> parse_number(const std::string& text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The text that a flag takes; words of a list are joined by blanks.
std::optional<std::string> flag_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "on" : "off";
  const toml::array* array = node.as_array();
  if (array == nullptr) return std::nullopt;
  std::string text;
  for (const toml::node& element : *array) {
    if (!element.is_string()) return std::nullopt;
    text += (text.empty() ? "" : " ") + element.as_string()->get();
  }
  return text;
}

StudyValue machine_value(const base::ConfigEntry& schema, const toml::node& node, const StudyText& text) {
  base::ConfigEntry entry = base::read_override(schema, node, text.place(node));
  const std::optional<double> number = number_of(entry);
  return {schema.key, std::move(entry.text), number};
}

/// The value as a number. Data sizes may be plain numbers of bytes, times may be words.
std::optional<double> flag_number(const StudyFlag& flag, const std::string& text) {
  if (flag.type == FlagType::whole || flag.type == FlagType::number) return parse_number(text);
  if (flag.type == FlagType::time && base::looks_dimensional(text)) return base::parse_dimensional(text, {}).si;
  if (flag.type != FlagType::bytes) return std::nullopt;
  const std::optional<double> plain = parse_number(text);
  return plain ? plain : base::parse_dimensional(text, {}).si;
}

StudyValue flag_value(const StudyFlag& flag, std::string text) {
  if (text.empty() && flag.form == FlagForm::argument) throw base::InputError(fmt::format("'{}' is empty", flag.key));
  if (text.empty()) return {flag.key, "", std::nullopt};
  if (flag.form != FlagForm::repeated && text.find('\n') != std::string::npos) {
    throw base::InputError(fmt::format("'{}' is one line", flag.key));
  }
  check_flag_value(flag, text);
  const std::optional<double> number = flag_number(flag, text);
  return {flag.key, std::move(text), number};
}

StudyValue model_value(const workloads::ModelKey& key, std::string text) {
  if (const std::string problem = key.problem(text); !problem.empty()) {
    throw base::InputError(problem, fmt::format("{}: {}, {}", key.name, key.help, key.values));
  }
  const std::optional<double> number = key.kind == workloads::ModelValues::text ? std::nullopt : parse_number(text);
  return {key.name, std::move(text), number};
}

std::string identity(const StudyValue& value) { return value.number ? fmt::format("{}", *value.number) : value.text; }

}  // namespace

std::optional<StudyValue> read_study_value(const StudyKeys& keys, const std::string& key, const toml::node& node,
                                           StudyText& text) {
  std::optional<StudyValue> value;
  text.errors().collect(text.inside(node), [&] {
    if (const base::ConfigEntry* schema = keys.machine_entry(key)) {
      value = machine_value(*schema, node, text);
      return;
    }
    const std::optional<std::string> word = flag_text(node);
    if (!word) throw base::InputError(fmt::format("'{}' cannot be this", key), "a string, a number, or true or false");
    const StudyFlag* flag = keys.flag(key);
    if (keys.is_argument(key)) {
      value = {key, *word, parse_number(*word)};
    } else {
      value = flag != nullptr ? flag_value(*flag, *word) : model_value(*keys.model_key(key), *word);
    }
  });
  return value;
}

StudyAxis read_study_axis(const StudyKeys& keys, const StudyEntry& entry, StudyText& text) {
  StudyAxis axis{entry.key, keys.unit(entry.key), {}, {}, 0};
  const auto take = [&](const toml::node& node) {
    if (std::optional<StudyValue> value = read_study_value(keys, entry.key, node, text)) {
      axis.values.push_back(*std::move(value));
      axis.places.push_back(text.place(node));
    }
  };
  const toml::array* array = entry.node->as_array();
  const toml::table* table = entry.node->as_table();
  if (array != nullptr) {
    for (const toml::node& element : *array) take(element);
    if (array->empty()) text.errors().error(text.place(*entry.node), fmt::format("axis '{}' has no value", entry.key));
  } else if (table != nullptr) {
    text.errors().collect(text.place(*table), [&] { axis.values = read_study_range(keys, entry.key, *table, text); });
    axis.places.assign(axis.values.size(), text.place(*table));
  } else {
    take(*entry.node);
  }
  return axis;
}

void refuse_repeated(const std::vector<const StudyAxis*>& group, StudyText& text) {
  std::set<std::vector<std::string>> seen;
  for (std::size_t i = 0; i < group.front()->values.size(); ++i) {
    std::vector<std::string> row;
    for (const StudyAxis* axis : group) row.push_back(identity(axis->values[i]));
    if (seen.insert(std::move(row)).second) continue;
    const StudyAxis& axis = *group.back();
    text.errors().error(axis.places[i], fmt::format("'{}' has the value {} twice", axis.key, axis.values[i].text));
  }
}

}  // namespace podsim::studies::plan
