// SPDX-License-Identifier: Apache-2.0
#include "report/trace_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "base/text/utf8.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;
using Json = nlohmann::ordered_json;
using base::text::counted;
using sw::chakra::NodeType;

constexpr std::size_t max_findings = 20;  ///< in the text

/// Attributes of nodes that nothing used, over all ranks.
std::map<std::string, std::int64_t> unread(const TraceReport& report) {
  std::map<std::string, std::int64_t> all;
  for (const sw::chakra::RankTrace& rank : report.trace->ranks) {
    for (const auto& [name, count] : rank.unread) all[name] += count;
  }
  return all;
}

std::string where(const sw::chakra::Finding& finding) {
  std::string text = finding.rank < 0 ? "" : fmt::format("rank {}", finding.rank);
  if (!finding.node.empty()) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", finding.node);
  return text;
}

std::string findings_text(const TraceReport& report) {
  std::string text = fmt::format("\n{} found; not replayed\n", counted(std::int64_t(report.findings.size()), "fault"));
  for (std::size_t i = 0; i < std::min(report.findings.size(), max_findings); ++i) {
    const sw::chakra::Finding& finding = report.findings[i];
    const std::string place = where(finding);
    text += fmt::format("  {}{}{}\n", place, place.empty() ? "" : ": ", finding.message);
  }
  if (report.findings.size() > max_findings) {
    text += fmt::format("  and {} more (--json prints all)\n", report.findings.size() - max_findings);
  }
  return text;
}

/// The replay's time over the recorded one, less one.
std::optional<double> difference(const TraceReport& report) {
  const std::optional<base::Time> recorded = report.recorded();
  if (!report.replay || !recorded || recorded->value() <= 0) return std::nullopt;
  return double(report.replay->duration.value()) / double(recorded->value()) - 1;
}

std::string replay_text(const TraceReport& report) {
  base::text::TextTable table({Align::left, Align::right, Align::left});
  const sw::chakra::Replay& replay = *report.replay;
  table.row({"replay", base::to_string(replay.duration),
             fmt::format("rank {} ends last; {} of it compute", replay.last_rank, base::to_string(replay.compute))});
  if (const std::optional<base::Time> recorded = report.recorded()) {
    const std::optional<double> by = difference(report);
    table.row({"recorded", base::to_string(*recorded),
               by ? fmt::format("the step of the run; the replay takes {}", base::text::signed_percent(*by, 2)) : ""});
  }
  return "\n" + table.text();
}

}  // namespace

std::optional<base::Time> TraceReport::recorded() const {
  const auto& attributes = trace->ranks.front().attributes;
  const auto found = attributes.find("step_time_ps");
  if (found == attributes.end()) return std::nullopt;
  std::int64_t time = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [stop, error] = std::from_chars(found->second.data(), end, time);
  return error == std::errc() && stop == end ? std::optional(base::Time(time)) : std::nullopt;
}

std::int64_t TraceReport::nodes() const {
  std::int64_t count = 0;
  for (const sw::chakra::RankTrace& rank : trace->ranks) count += std::int64_t(rank.nodes.size());
  return count;
}

std::int64_t TraceReport::nodes(sw::chakra::NodeType type) const {
  std::int64_t count = 0;
  for (const sw::chakra::RankTrace& rank : trace->ranks)
    count += std::ranges::count(rank.nodes, type, &sw::chakra::Node::type);
  return count;
}

std::string trace_text(const TraceReport& report) {
  const std::int64_t memory = report.nodes(NodeType::mem_load) + report.nodes(NodeType::mem_store);
  const std::int64_t transfers = report.nodes(NodeType::send) + report.nodes(NodeType::receive);
  const std::int64_t others = report.nodes(NodeType::other);
  std::string text = fmt::format(
      "{}: {} of {}, on a {} slice of {}\n", base::text::printable(report.folder), counted(report.nodes(), "node"),
      counted(std::int64_t(report.trace->ranks.size()), "rank"), report.slice, report.machine);
  text += fmt::format("{} compute, {} memory, {} collective, {} send or receive{}; {}\n",
                      report.nodes(NodeType::compute), memory, report.nodes(NodeType::collective), transfers,
                      others > 0 ? fmt::format(", {} other", others) : "",
                      counted(std::int64_t(report.trace->groups.size()), "process group"));
  for (const auto& [name, count] : unread(report)) {
    text += fmt::format("not used: attribute '{}' of {}\n", name, counted(count, "node"));
  }
  text += report.findings.empty() ? "no faults found\n" : findings_text(report);
  if (report.replay) {
    text += replay_text(report);
    if (report.healthy && *report.healthy > base::Time(0)) {
      text += fmt::format("with {}: {:.4f} times the {} of the healthy slice\n", fmt::join(report.faults, " "),
                          double(report.replay->duration.value()) / double(report.healthy->value()),
                          base::to_string(*report.healthy));
    }
    for (const std::string& note : report.replay->notes) text += note + "\n";
  }
  for (const std::string& warning : report.warnings) text += "warning: " + warning + "\n";
  return base::text::printable(text) + fmt::format("\n{:.2f} s on this host\n", report.wall_s);
}

std::string trace_json(const TraceReport& report) {
  Json faults = Json::array(), attributes = Json::object();
  for (const sw::chakra::Finding& finding : report.findings) {
    faults.push_back({{"rank", finding.rank}, {"node", finding.node}, {"message", finding.message}});
  }
  for (const auto& [name, count] : unread(report)) attributes[name] = count;
  Json json = {{"schema_version", 1},
               {"command", "trace check"},
               {"folder", report.folder},
               {"machine", report.machine},
               {"slice", report.slice},
               {"ranks", report.trace->ranks.size()},
               {"nodes", report.nodes()},
               {"groups", report.trace->groups.size()},
               {"unused_attributes", attributes},
               {"faults", faults}};
  if (report.replay) {
    json["replay_s"] = base::to_duration(report.replay->duration).si();
    json["last_rank"] = report.replay->last_rank;
    json["compute_s"] = base::to_duration(report.replay->compute).si();
    json["notes"] = report.replay->notes;
    if (report.healthy) {
      json["slice_faults"] = report.faults;
      json["healthy_s"] = base::to_duration(*report.healthy).si();
    }
  }
  if (const auto recorded = report.recorded()) json["recorded_s"] = base::to_duration(*recorded).si();
  if (const auto by = difference(report)) json["difference"] = *by;
  json["warnings"] = report.warnings;
  json["wall_s"] = report.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
