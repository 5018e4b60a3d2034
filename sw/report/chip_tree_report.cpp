// SPDX-License-Identifier: Apache-2.0
#include "sw/report/chip_tree_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text_table.h"

namespace podsim::sw::report {
namespace {

void add_rows(const hw::chip::TreeNode& node, const std::string& indent, base::text::TextTable& table) {
  table.row({indent + node.name, node.unit, fmt::format("{}", fmt::join(node.ports, " ")),
             fmt::format("{}", fmt::join(node.signals, " "))});
  for (const hw::chip::TreeNode& child : node.children) add_rows(child, indent + "  ", table);
}

}  // namespace

std::string chip_tree_text(const hw::chip::TreeNode& chip) {
  using Align = base::text::TextTable::Align;
  base::text::TextTable table({Align::left, Align::left, Align::left, Align::left});
  table.row({"scope", "unit", "ports, exports and sockets", "signals in a waveform"});
  add_rows(chip, "", table);
  return table.text();
}

nlohmann::ordered_json chip_tree_json(const hw::chip::TreeNode& chip) {
  nlohmann::ordered_json json = {{"name", chip.name},       {"scope", chip.scope},
                                 {"unit", chip.unit},       {"ports", chip.ports},
                                 {"signals", chip.signals}, {"children", nlohmann::ordered_json::array()}};
  for (const hw::chip::TreeNode& child : chip.children) json["children"].push_back(chip_tree_json(child));
  return json;
}

}  // namespace podsim::sw::report
