// SPDX-License-Identifier: Apache-2.0
#include "report/compare/configuration_comparison.h"

#include <algorithm>

#include "base/text/text_table.h"
#include "report/compare/arrow.h"

namespace podsim::report::compare {
namespace {

using Json = nlohmann::ordered_json;
using Align = base::text::TextTable::Align;

std::string value_of(const std::optional<base::ConfigEntry>& entry) { return entry ? entry->text : "-"; }

std::string evidence_of(const std::optional<base::ConfigEntry>& entry) {
  return entry ? base::to_string(entry->evidence) : "no such key";
}

Json entry_json(const std::optional<base::ConfigEntry>& entry) {
  if (!entry) return nullptr;
  return {{"value", entry->text}, {"evidence", base::to_string(entry->evidence)}, {"source", entry->source}};
}

}  // namespace

std::vector<MachineDifference> compare_machines(const std::vector<base::ConfigEntry>& a,
                                                const std::vector<base::ConfigEntry>& b) {
  std::vector<MachineDifference> rows;
  for (const base::ConfigEntry& entry : a) {
    const auto other = std::ranges::find(b, entry.key, &base::ConfigEntry::key);
    if (other == b.end()) {
      rows.push_back({entry.key, entry, {}});
    } else if (entry.value != other->value) {
      rows.push_back({entry.key, entry, *other});
    }
  }
  for (const base::ConfigEntry& entry : b) {
    if (std::ranges::find(a, entry.key, &base::ConfigEntry::key) == a.end()) rows.push_back({entry.key, {}, entry});
  }
  return rows;
}

std::string configuration_text(const std::vector<SettingDifference>& settings,
                               const std::vector<MachineDifference>& machine) {
  if (settings.empty() && machine.empty()) return "the same machine and configuration\n";
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::left});
  table.row({"  what differs", "A", "B", "evidence"});
  const auto word = [](const std::string& text) { return text.empty() ? "-" : text; };
  for (const SettingDifference& row : settings) table.row({"  " + row.key, word(row.a), word(row.b)});
  for (const MachineDifference& row : machine) {
    table.row({"  " + row.key, value_of(row.a), value_of(row.b), arrow(evidence_of(row.a), evidence_of(row.b))});
  }
  return table.text();
}

Json settings_json(const std::vector<SettingDifference>& settings) {
  Json list = Json::array();
  for (const SettingDifference& row : settings) list.push_back({{"key", row.key}, {"a", row.a}, {"b", row.b}});
  return list;
}

Json machine_json(const std::vector<MachineDifference>& machine) {
  Json list = Json::array();
  for (const MachineDifference& row : machine) {
    list.push_back({{"key", row.key}, {"a", entry_json(row.a)}, {"b", entry_json(row.b)}});
  }
  return list;
}

}  // namespace podsim::report::compare
