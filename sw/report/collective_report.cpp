// SPDX-License-Identifier: Apache-2.0
#include "sw/report/collective_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text_table.h"

namespace podsim::sw {
namespace {

using Align = base::TextTable::Align;
using Json = nlohmann::ordered_json;

std::string network_name(NetworkLevel level) { return level == NetworkLevel::packet ? "packet" : "message"; }

base::Bytes payload(const CollectiveReport& report) {
  return report.schedule->bytes(report.schedule->request().elements);
}

std::string microseconds(double seconds) { return fmt::format("{:.2f} us", seconds * 1e6); }

std::string link_name(const noc::Topology& topology, noc::LinkId id) {
  const noc::Link link = *topology.link(id);
  return fmt::format("{}{}{}", topology.name(link.from), noc::dimension_name(link.dimension),
                     link.direction > 0 ? '+' : '-');
}

std::vector<LinkUse> busiest_links(const CollectiveReport& report, std::size_t count) {
  std::vector<LinkUse> links = report.outcome.links;
  std::ranges::stable_sort(links, std::greater{}, &LinkUse::bytes);
  std::erase_if(links, [](const LinkUse& use) { return use.bytes == base::Bytes(0); });
  links.resize(std::min(links.size(), count));
  return links;
}

double share_of_time(const CollectiveReport& report, const LinkUse& use) {
  return double(use.busy.value()) / std::max(1.0, double(report.outcome.duration.value()));
}

std::string phases_table(const CollectiveReport& report) {
  if (report.outcome.phases.empty()) return "";
  const int last = std::ranges::max(report.outcome.phases, {}, &CollectivePhase::order).order;
  const int orders = last == 0 ? 1 : report.schedule->group_program(0).orders();
  auto name = [&](const CollectivePhase& phase) {
    if (orders == 1) return phase.name;
    if (orders == 2) return phase.name + (phase.order == 0 ? ", even colours" : ", odd colours");
    return fmt::format("{}, order {}", phase.name, phase.order + 1);
  };
  base::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.row({"phase", "payload", "from", "to", "time"});
  for (const CollectivePhase& phase : report.outcome.phases) {
    const double begin = to_duration(phase.begin).si(), end = to_duration(phase.end).si();
    table.row(
        {name(phase), to_string(phase.payload), microseconds(begin), microseconds(end), microseconds(end - begin)});
  }
  return "\n" + table.text();
}

std::string links_table(const CollectiveReport& report) {
  const std::vector<LinkUse> links = busiest_links(report, 4);
  if (links.empty()) return "";
  base::TextTable table({Align::left, Align::right, Align::right});
  table.row({"busiest links", "payload", "of the time"});
  for (const LinkUse& use : links) {
    table.row({link_name(report.outcome.topology.representatives(), use.link), to_string(use.bytes),
               fmt::format("{:.1f} %", 100 * share_of_time(report, use))});
  }
  return "\n" + table.text();
}

std::string faults_text(const CollectiveReport& report) {
  std::string text;
  for (const std::string& fault : report.faults) text += fmt::format("{}{}", text.empty() ? "" : " ", fault);
  if (!report.healthy) return "";
  const double healthy = to_duration(*report.healthy).si();
  return fmt::format("faults     {}: {:.2f} times the {} of the healthy slice, {} messages relayed by software\n", text,
                     report.time_s() / healthy, microseconds(healthy), report.outcome.relayed);
}

}  // namespace

double CollectiveReport::bandwidth() const {
  return outcome.duration > base::Time(0) ? double(payload(*this).value()) / time_s() : 0;
}

std::string collective_text(const CollectiveReport& report) {
  const CollectiveRequest& request = report.schedule->request();
  std::string text = fmt::format(
      "{} of {} of {} per rank on {}, slice {}, groups {}\n\n"
      "time       {}, {:.2f} GB/s\n"
      "formulas   {} modelled; {} one-direction rings of whole chunks, idle, no software; no less than {}\n"
      "algorithm  {}{}\n"
      "network    {} level, {}, {} messages\n",
      to_string(request.kind), to_string(payload(report)), to_string(request.type), report.machine, report.slice,
      report.groups, microseconds(report.time_s()), report.bandwidth() * 1e-9, microseconds(report.modelled.si()),
      microseconds(report.closed_form.si()), microseconds(report.lower_bound.si()),
      to_string(report.schedule->algorithm()), report.reason.empty() ? "" : ": " + report.reason,
      network_name(report.network), to_string(report.outcome.topology), report.outcome.messages);
  text += faults_text(report);
  if (report.verified) {
    text += fmt::format("verified   every rank ends with the right numbers, largest relative error {:.2g}\n",
                        report.largest_error);
  }
  return text + phases_table(report) + links_table(report) + fmt::format("\n{:.2f} s on this host\n", report.wall_s);
}

std::string collective_json(const CollectiveReport& report) {
  const CollectiveRequest& request = report.schedule->request();
  Json phases = Json::array(), links = Json::array();
  for (const CollectivePhase& phase : report.outcome.phases) {
    phases.push_back({{"name", phase.name},
                      {"order", phase.order},
                      {"payload_bytes", phase.payload.value()},
                      {"begin_s", to_duration(phase.begin).si()},
                      {"end_s", to_duration(phase.end).si()}});
  }
  for (const LinkUse& use : busiest_links(report, 16)) {
    links.push_back({{"link", link_name(report.outcome.topology.representatives(), use.link)},
                     {"bytes", use.bytes.value()},
                     {"utilization", share_of_time(report, use)}});
  }
  Json json = {{"schema_version", 1},
               {"command", "collective"},
               {"machine", report.machine},
               {"kind", to_string(request.kind)},
               {"dtype", to_string(request.type)},
               {"bytes", payload(report).value()},
               {"slice", report.slice},
               {"groups", report.groups},
               {"network", network_name(report.network)},
               {"algorithm", to_string(report.schedule->algorithm())},
               {"reason", report.reason},
               {"time_s", report.time_s()},
               {"bandwidth_bytes_per_s", report.bandwidth()},
               {"modelled_s", report.modelled.si()},
               {"closed_form_s", report.closed_form.si()},
               {"lower_bound_s", report.lower_bound.si()},
               {"folded", report.outcome.folded()},
               {"topology", to_string(report.outcome.topology)},
               {"verified", report.verified},
               {"messages", report.outcome.messages},
               {"relayed", report.outcome.relayed},
               {"faults", report.faults},
               {"phases", phases},
               {"links", links},
               {"warnings", report.warnings},
               {"wall_s", report.wall_s}};
  if (report.healthy) json["healthy_time_s"] = to_duration(*report.healthy).si();
  if (report.verified) json["largest_error"] = report.largest_error;
  return json.dump(2) + "\n";
}

}  // namespace podsim::sw
