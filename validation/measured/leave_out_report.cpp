// SPDX-License-Identifier: Apache-2.0
// Part of validation/measured/leave_out.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "validation/measured/leave_out.h"

namespace podsim::validation::measured {
namespace {

using Json = nlohmann::ordered_json;
using Align = base::text::TextTable::Align;

double ratio(double error, double in_sample) { return in_sample > 0 ? error / in_sample : 0; }

std::string errors_table(const LeaveOut& result) {
  const Align right = Align::right;
  base::text::TextTable table({Align::left, right, right, right, right, right});
  table.row({"source", "as shipped", "in sample", "left out", "ratio", "at worst"});
  for (const LeftOut& left : result.sources) {
    table.row({left.source, base::text::percent(left.shipped), base::text::percent(left.in_sample),
               base::text::percent(left.left_out), fmt::format("{:.2f}", ratio(left.left_out, left.in_sample)),
               fmt::format("{:.2f}", ratio(left.at_worst, left.in_sample))});
  }
  return table.text();
}

std::string parameters_table(const LeaveOut& result) {
  base::text::TextTable table(std::vector<Align>(result.sources.size() + 4, Align::left));
  std::vector<std::string> head = {"parameter", "shipped", "in sample"};
  for (const LeftOut& left : result.sources) head.push_back("without " + left.source);
  head.emplace_back("told by");
  table.row(head);
  for (std::size_t i = 0; i < result.parameters.size(); ++i) {
    const FittedParameter& parameter = result.parameters[i];
    std::vector<std::string> row = {parameter.key, parameter.shipped, parameter.in_sample};
    for (const LeftOut& left : result.sources) row.push_back(left.values[i]);
    row.push_back(fmt::format("{}", fmt::join(parameter.told_by, " ")));
    table.row(row);
  }
  return table.text();
}

std::string notes(const LeaveOut& result) {
  std::string text;
  for (const FittedParameter& parameter : result.parameters) {
    if (parameter.told_by.empty()) text += parameter.key + ": no source tells it\n";
    if (parameter.told_by.size() == 1) text += parameter.key + ": " + parameter.told_by.front() + " alone tells it\n";
  }
  return text;
}

}  // namespace

std::string leave_out_text(const LeaveOut& result) {
  const std::string more = notes(result);
  return errors_table(result) + "\n" + parameters_table(result) + (more.empty() ? "" : "\n" + more);
}

std::string leave_out_json(const LeaveOut& result) {
  Json parameters = Json::array(), sources = Json::array();
  for (const FittedParameter& parameter : result.parameters) {
    parameters.push_back({{"key", parameter.key},
                          {"shipped", parameter.shipped},
                          {"in_sample", parameter.in_sample},
                          {"told_by", parameter.told_by}});
  }
  for (const LeftOut& left : result.sources) {
    Json values;
    for (std::size_t i = 0; i < left.values.size(); ++i) values[result.parameters[i].key] = left.values[i];
    sources.push_back({{"source", left.source},
                       {"shipped_error", left.shipped},
                       {"in_sample_error", left.in_sample},
                       {"left_out_error", left.left_out},
                       {"at_worst_error", left.at_worst},
                       {"values", values}});
  }
  const Json object = {{"folder", result.folder},
                       {"sources", sources},
                       {"parameters", parameters},
                       {"evaluations", result.evaluations},
                       {"wall_s", result.wall_s}};
  return base::text::json_text(object);
}

}  // namespace podsim::validation::measured
