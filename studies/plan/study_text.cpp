// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/study_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::studies::plan {

bool is_range(const toml::table& table) { return table.contains("from") || table.contains("to"); }

void StudyText::collect(const toml::table& table, const std::string& scope, std::vector<StudyEntry>& entries) const {
  for (auto&& [name, node] : table) {
    const std::string key = scope.empty() ? std::string(name.str()) : fmt::format("{}.{}", scope, name.str());
    const toml::table* inner = node.as_table();
    if (inner != nullptr && !is_range(*inner) && !inner->empty()) {
      collect(*inner, key, entries);
    } else {
      entries.push_back({key, layer_.locate(name.source()), &node});
    }
  }
}

std::vector<StudyEntry> StudyText::entries(const toml::table& table) const {
  std::vector<StudyEntry> result;
  collect(table, "", result);
  std::ranges::sort(result, {}, [](const StudyEntry& e) { return std::pair(e.place.line, e.place.column); });
  return result;
}

const toml::table* StudyText::table(std::string_view name) {
  const toml::node* node = root().get(name);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) errors_.error(place(*node), fmt::format("'{}' is a table: [{}]", name, name));
  return node->as_table();
}

std::vector<const toml::table*> StudyText::tables(std::string_view name) {
  std::vector<const toml::table*> result;
  const toml::node* node = root().get(name);
  if (node == nullptr) return result;
  const toml::array* array = node->as_array();
  if (array != nullptr) {
    for (const toml::node& element : *array) {
      if (const toml::table* table = element.as_table()) result.push_back(table);
    }
  }
  if (array == nullptr || result.size() != array->size()) {
    errors_.error(place(*node), fmt::format("'{}' is a list of tables: [[{}]]", name, name));
  }
  return result;
}

std::vector<const toml::node*> StudyText::strings(const toml::table& in, std::string_view name, std::string_view what) {
  std::vector<const toml::node*> result;
  const toml::node* node = in.get(name);
  if (node == nullptr) return result;
  if (node->is_string()) return {node};
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    errors_.error(place(*node), fmt::format("'{}' is a list of {}", name, what));
    return result;
  }
  for (const toml::node& element : *array) {
    if (element.is_string()) {
      result.push_back(&element);
    } else {
      errors_.error(place(element), fmt::format("'{}' is a list of {}, each a string", name, what));
    }
  }
  return result;
}

std::string StudyText::string(const toml::table& in, std::string_view name) {
  const toml::node* node = in.get(name);
  if (node == nullptr) return "";
  if (const auto* text = node->as_string()) return text->get();
  errors_.error(place(*node), fmt::format("'{}' is a string", name));
  return "";
}

}  // namespace podsim::studies::plan
