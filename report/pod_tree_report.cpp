// SPDX-License-Identifier: Apache-2.0
#include "report/pod_tree_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text_table.h"

namespace podsim::report {
namespace {

void add_rows(const hw::pod::TreeNode& node, const std::string& indent, base::text::TextTable& table) {
  table.row({indent + node.name, node.unit, fmt::format("{}", fmt::join(node.ports, " ")),
             fmt::format("{}", fmt::join(node.signals, " "))});
  for (const hw::pod::TreeNode& child : node.children) add_rows(child, indent + "  ", table);
}

}  // namespace

std::string pod_tree_text(const hw::pod::TreeNode& pod) {
  using Align = base::text::TextTable::Align;
  base::text::TextTable table({Align::left, Align::left, Align::left, Align::left});
  table.row({"scope", "unit", "ports, exports and sockets", "signals in a waveform"});
  add_rows(pod, "", table);
  return table.text();
}

nlohmann::ordered_json pod_tree_json(const hw::pod::TreeNode& node) {
  nlohmann::ordered_json json = {{"name", node.name},       {"scope", node.scope},
                                 {"unit", node.unit},       {"ports", node.ports},
                                 {"signals", node.signals}, {"children", nlohmann::ordered_json::array()}};
  for (const hw::pod::TreeNode& child : node.children) json["children"].push_back(pod_tree_json(child));
  return json;
}

}  // namespace podsim::report
