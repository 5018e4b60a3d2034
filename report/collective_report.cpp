// SPDX-License-Identifier: Apache-2.0
#include "report/collective_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "report/link_report.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;
using Json = nlohmann::ordered_json;

std::string network_name(sw::collectives::engine::NetworkLevel level) {
  return level == sw::collectives::engine::NetworkLevel::packet ? "packet" : "message";
}

base::Bytes payload(const CollectiveReport& report) {
  return report.schedule->bytes(report.schedule->request().elements);
}

std::string precise_microseconds(double seconds) { return fmt::format("{:.2f} us", seconds * 1e6); }

std::vector<sw::collectives::engine::LinkUse> busiest_links(const CollectiveReport& report, std::size_t count) {
  std::vector<sw::collectives::engine::LinkUse> links = report.outcome.links;
  std::ranges::stable_sort(links, std::greater{}, &sw::collectives::engine::LinkUse::bytes);
  std::erase_if(links, [](const sw::collectives::engine::LinkUse& use) { return use.bytes == base::Bytes(0); });
  links.resize(std::min(links.size(), count));
  return links;
}

double share_of_time(const CollectiveReport& report, const sw::collectives::engine::LinkUse& use) {
  return double(use.busy.value()) / std::max(1.0, double(report.outcome.duration.value()));
}

std::string phases_table(const CollectiveReport& report) {
  if (report.outcome.phases.empty()) return "";
  const int last = std::ranges::max(report.outcome.phases, {}, &sw::collectives::engine::CollectivePhase::order).order;
  const int orders = last == 0 ? 1 : report.schedule->group_program(0).orders();
  auto name = [&](const sw::collectives::engine::CollectivePhase& phase) {
    if (orders == 1) return phase.name;
    if (orders == 2) return phase.name + (phase.order == 0 ? ", even colours" : ", odd colours");
    return fmt::format("{}, order {}", phase.name, phase.order + 1);
  };
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.row({"phase", "payload", "from", "to", "time"});
  for (const sw::collectives::engine::CollectivePhase& phase : report.outcome.phases) {
    const double begin = base::to_duration(phase.begin).si(), end = base::to_duration(phase.end).si();
    table.row({name(phase), base::to_string(phase.payload), precise_microseconds(begin), precise_microseconds(end),
               precise_microseconds(end - begin)});
  }
  return "\n" + table.text();
}

std::string links_table(const CollectiveReport& report) {
  const std::vector<sw::collectives::engine::LinkUse> links = busiest_links(report, 4);
  if (links.empty()) return "";
  base::text::TextTable table({Align::left, Align::right, Align::right});
  table.row({"busiest links", "payload", "of the time"});
  for (const sw::collectives::engine::LinkUse& use : links) {
    table.row({link_name(report.outcome.topology.representatives(), use.link), base::to_string(use.bytes),
               base::text::percent(share_of_time(report, use))});
  }
  return "\n" + table.text();
}

std::string faults_text(const CollectiveReport& report) {
  std::string text;
  for (const std::string& fault : report.faults) text += fmt::format("{}{}", text.empty() ? "" : " ", fault);
  if (!report.healthy) return "";
  const double healthy = base::to_duration(*report.healthy).si();
  return fmt::format("faults     {}: {:.2f} times the {} of the healthy slice, {} messages relayed by software\n", text,
                     report.time_s() / healthy, precise_microseconds(healthy), report.outcome.relayed);
}

}  // namespace

double CollectiveReport::bandwidth() const {
  return outcome.duration > base::Time(0) ? double(payload(*this).value()) / time_s() : 0;
}

std::string collective_text(const CollectiveReport& report) {
  const sw::collectives::schedule::CollectiveRequest& request = report.schedule->request();
  std::string text = fmt::format(
      "{} of {} of {} per rank on {}, slice {}, groups {}\n\n"
      "time       {}, {:.2f} GB/s\n"
      "formulas   {} modelled; {} one-direction rings of whole chunks, idle, no software; no less than {}\n"
      "algorithm  {}{}\n"
      "network    {} level, {}, {}\n",
      sw::collectives::to_string(request.kind), base::to_string(payload(report)), hlo::to_string(request.type),
      report.machine, report.slice, report.groups, precise_microseconds(report.time_s()), report.bandwidth() * 1e-9,
      precise_microseconds(report.modelled.si()), precise_microseconds(report.closed_form.si()),
      precise_microseconds(report.lower_bound.si()), sw::collectives::to_string(report.schedule->algorithm()),
      report.reason.empty() ? "" : ": " + report.reason, network_name(report.network),
      noc::to_string(report.outcome.topology), base::text::counted(report.outcome.messages, "message"));
  text += faults_text(report);
  if (report.verified) {
    text += fmt::format("verified   every rank ends with the right numbers, largest relative error {:.2g}\n",
                        report.largest_error);
  }
  return text + phases_table(report) + links_table(report) + fmt::format("\n{:.2f} s on this host\n", report.wall_s);
}

std::string collective_json(const CollectiveReport& report) {
  const sw::collectives::schedule::CollectiveRequest& request = report.schedule->request();
  Json phases = Json::array(), links = Json::array();
  for (const sw::collectives::engine::CollectivePhase& phase : report.outcome.phases) {
    phases.push_back({{"name", phase.name},
                      {"order", phase.order},
                      {"payload_bytes", phase.payload.value()},
                      {"begin_s", base::to_duration(phase.begin).si()},
                      {"end_s", base::to_duration(phase.end).si()}});
  }
  for (const sw::collectives::engine::LinkUse& use : busiest_links(report, 16)) {
    links.push_back({{"link", link_name(report.outcome.topology.representatives(), use.link)},
                     {"bytes", use.bytes.value()},
                     {"utilization", share_of_time(report, use)}});
  }
  Json json = {{"schema_version", 1},
               {"command", "collective"},
               {"machine", report.machine},
               {"kind", sw::collectives::to_string(request.kind)},
               {"dtype", hlo::to_string(request.type)},
               {"bytes", payload(report).value()},
               {"slice", report.slice},
               {"groups", report.groups},
               {"network", network_name(report.network)},
               {"algorithm", sw::collectives::to_string(report.schedule->algorithm())},
               {"reason", report.reason},
               {"time_s", report.time_s()},
               {"bandwidth_bytes_per_s", report.bandwidth()},
               {"modelled_s", report.modelled.si()},
               {"closed_form_s", report.closed_form.si()},
               {"lower_bound_s", report.lower_bound.si()},
               {"folded", report.outcome.folded()},
               {"topology", noc::to_string(report.outcome.topology)},
               {"verified", report.verified},
               {"messages", report.outcome.messages},
               {"relayed", report.outcome.relayed},
               {"faults", report.faults},
               {"phases", phases},
               {"links", links},
               {"warnings", report.warnings},
               {"wall_s", report.wall_s}};
  if (report.healthy) json["healthy_time_s"] = base::to_duration(*report.healthy).si();
  if (report.verified) json["largest_error"] = report.largest_error;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
