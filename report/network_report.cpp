// SPDX-License-Identifier: Apache-2.0
#include "report/network_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/text_table.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;
using Json = nlohmann::ordered_json;

// "torus", "mesh", or the dimensions that wrap.
std::string shape(const noc::Topology& topology) {
  std::vector<std::string> wrapped;
  for (int d = 0; d < topology.dimensions(); ++d) {
    if (topology.wraps(d)) wrapped.push_back(noc::dimension_name(d));
  }
  if (wrapped.empty()) return "mesh";
  if (int(wrapped.size()) == topology.dimensions()) return "torus";
  return fmt::format("mesh wrapped along {}", fmt::join(wrapped, ", "));
}

std::string network_title(const NetworkReport& report) {
  const noc::router::LoadParameters& parameters = report.parameters;
  const noc::router::RouterParameters& router = parameters.network.router;
  std::string text = fmt::format(
      "{} traffic on {} {}, seed {}\n"
      "{} of {}, {}, {} ({}){}, classes by {}, ties {}; packets of {}, channels of {}\n",
      noc::router::to_string(parameters.pattern), base::text::with_article(noc::to_string(parameters.topology)),
      shape(parameters.topology), parameters.seed, base::text::counted(router.vcs, "VC"),
      base::text::counted(router.buffer_flits, "flit"), noc::router::to_string(router.switching),
      noc::router::to_string(router.allocation), base::text::counted(router.iterations, "iteration"),
      router.arbitration == noc::router::Arbitration::fair ? "" : ", rotary arbitration",
      noc::router::to_string(router.vc_classes), noc::router::to_string(parameters.ties),
      base::text::counted(parameters.packet_flits, "flit"), base::text::counted(report.channel_cycles, "cycle"));
  if (!report.faults.empty()) text += fmt::format("faults: {}\n", fmt::join(report.faults, ", "));
  return text;
}

std::string latency(const noc::router::LoadPoint& point, double value, int digits) {
  return point.drained && point.packets > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string note(const noc::router::LoadPoint& point) {
  if (!point.deadlock.empty()) return "deadlock";
  return point.saturated ? "saturated" : "";
}

std::string table(const NetworkReport& report) {
  base::text::TextTable table(
      {Align::right, Align::right, Align::right, Align::right, Align::right, Align::right, Align::right, Align::left});
  table.row({"load", "accepted", "latency", "+-", "median", "p99", "empty", ""});
  for (const noc::router::LoadPoint& point : report.points) {
    table.row({fmt::format("{:.4g}", point.load), fmt::format("{:.4f}", point.accepted),
               latency(point, point.mean_latency, 2), latency(point, point.confidence * point.mean_latency, 2),
               latency(point, point.median_latency, 0), latency(point, point.p99_latency, 0),
               fmt::format("{:.2f}", point.zero_load_latency), note(point)});
  }
  return table.text();
}

Json number_or_null(const noc::router::LoadPoint& point, double value) {
  return point.drained && point.packets > 0 ? Json(value) : Json(nullptr);
}

Json point_json(const noc::router::LoadPoint& point) {
  Json json = {{"load", point.load},
               {"mean_latency_cycles", number_or_null(point, point.mean_latency)},
               {"confidence_cycles", number_or_null(point, point.confidence * point.mean_latency)},
               {"median_latency_cycles", number_or_null(point, point.median_latency)},
               {"p99_latency_cycles", number_or_null(point, point.p99_latency)},
               {"zero_load_latency_cycles", point.zero_load_latency},
               {"mean_hops", point.mean_hops},
               {"accepted", point.accepted},
               {"saturated", point.saturated},
               {"packets", point.packets},
               {"relayed", point.relayed},
               {"cycles", point.cycles},
               {"flit_hops", point.flit_hops}};
  if (!point.deadlock.empty()) json["deadlock"] = point.deadlock;
  return json;
}

}  // namespace

std::int64_t NetworkReport::flit_hops() const {
  std::int64_t sum = 0;
  for (const noc::router::LoadPoint& point : points) sum += point.flit_hops;
  return sum;
}

std::string network_text(const NetworkReport& report) {
  std::string text =
      network_title(report) + "\nloads in flits per node and cycle, latencies in cycles\n" + table(report);
  if (report.swept) {
    text += report.saturation > 0
                ? fmt::format("\nsaturation at {:.3f}, where the latency is three times that of an empty network\n",
                              report.saturation)
                : "\nnot saturated at a load of 1\n";
  }
  for (const noc::router::LoadPoint& point : report.points) {
    if (!point.deadlock.empty()) text += fmt::format("\ndeadlock at load {}: {}\n", point.load, point.deadlock);
    if (point.relayed > 0) {
      text += fmt::format("\nat load {} nodes sent on {} packets whose way has no single route left\n", point.load,
                          point.relayed);
    }
  }
  return text + fmt::format("\n{:.2f} s on this host, {:.2f} million flit-hops per second of user time\n",
                            report.wall_s, double(report.flit_hops()) / std::max(report.cpu_s, 1e-3) * 1e-6);
}

std::string network_json(const NetworkReport& report) {
  const noc::router::LoadParameters& parameters = report.parameters;
  const noc::router::RouterParameters& router = parameters.network.router;
  Json wraps = Json::array(), points = Json::array(), warnings = Json::array();
  for (int d = 0; d < parameters.topology.dimensions(); ++d) wraps.push_back(bool(parameters.topology.wraps(d)));
  for (const noc::router::LoadPoint& point : report.points) {
    points.push_back(point_json(point));
    if (point.deadlock.empty()) continue;
    warnings.push_back(fmt::format("deadlock at load {}: {}", point.load, point.deadlock));
  }
  Json json = {{"schema_version", 1},
               {"command", "network"},
               {"pattern", noc::router::to_string(parameters.pattern)},
               {"slice", noc::to_string(parameters.topology)},
               {"wraps", wraps},
               {"vcs", router.vcs},
               {"buffer_flits", router.buffer_flits},
               {"packet_flits", parameters.packet_flits},
               {"channel_cycles", report.channel_cycles},
               {"pipeline_cycles", router.pipeline_cycles()},
               {"switching", noc::router::to_string(router.switching)},
               {"allocation", noc::router::to_string(router.allocation)},
               {"iterations", router.iterations},
               {"arbitration", noc::router::to_string(router.arbitration)},
               {"vc_classes", noc::router::to_string(router.vc_classes)},
               {"ties", noc::router::to_string(parameters.ties)},
               {"seed", parameters.seed},
               {"faults", report.faults},
               {"points", points}};
  if (report.swept) json["saturation"] = report.saturation > 0 ? Json(report.saturation) : Json(nullptr);
  json["flit_hops"] = report.flit_hops();
  json["warnings"] = warnings;
  json["user_s"] = report.cpu_s;
  json["wall_s"] = report.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

std::vector<LinkFigures> link_figures(const NetworkReport& report, const noc::router::LoadPoint& point) {
  const noc::Topology& topology = report.parameters.topology;
  std::vector<LinkFigures> links;
  for (noc::LinkId id = 0; id < topology.link_ids(); ++id) {
    if (!topology.link(id)) continue;
    const double busy = double(point.link_flits[id]) * report.parameters.network.links[id].cycles_per_flit;
    links.push_back({.link = id,
                     .amount = point.link_flits[id],
                     .utilisation = point.cycles == 0 ? 0 : busy / double(point.cycles),
                     .retries = point.link_retries[id],
                     .dead = report.parameters.faults.dead(id)});
  }
  return links;
}

}  // namespace podsim::report
