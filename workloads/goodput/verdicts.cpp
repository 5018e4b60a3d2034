// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/verdicts.h"

#include <cstdlib>
#include <span>

#include "noc/faults.h"
#include "noc/route_plan.h"

namespace podsim::workloads::goodput {
namespace {

noc::Fault dead(const noc::Topology& slice, noc::NodeId from, int dimension, int direction) {
  const noc::Coordinates at = slice.coordinates(from);
  return {noc::Fault::Kind::dead_link, {at.begin(), at.begin() + slice.dimensions()}, dimension, direction, 0};
}

Verdict verdict_of(const Site& site, const noc::Link& link) {
  return {Verdict::Part::link, site.slice().name(link.from) + noc::dimension_name(link.dimension) + "+", link.id,
          hops_around(site.slice(), link), largest_free_box(site, {}, std::span(&link.id, 1))};
}

}  // namespace

std::int64_t hops_around(const noc::Topology& slice, const noc::Link& link) {
  const std::vector<noc::Fault> faults{dead(slice, link.from, link.dimension, 1),
                                       dead(slice, link.to, link.dimension, -1)};
  noc::RoutePlanner planner(slice, noc::Faults(slice, faults));
  noc::Coordinates hop{};
  hop[std::size_t(link.dimension)] = 1;
  const auto legs = planner.plan(link.from, hop);
  std::int64_t hops = 0;
  if (legs) {
    for (const noc::Coordinates& leg : *legs) hops += noc::hop_count(leg);
  }
  return hops;
}

std::string to_string(Verdict::Part part) {
  switch (part) {
    case Verdict::Part::chip:
      return "chip";
    case Verdict::Part::link:
      return "link";
    case Verdict::Part::host:
      break;
  }
  return "host";
}

std::vector<Verdict> verdicts(const Site& site) {
  std::vector<Verdict> all;
  for (noc::NodeId chip = 0; chip < site.slice().nodes(); ++chip) {
    all.push_back(
        {Verdict::Part::chip, site.slice().name(chip), {}, 0, largest_free_box(site, std::span(&chip, 1), {})});
  }
  for (noc::LinkId id = 0; id < site.slice().link_ids(); ++id) {
    const auto link = site.slice().link(id);
    if (link && link->direction > 0) all.push_back(verdict_of(site, *link));
  }
  for (std::int64_t host = 0; host < site.hosts(); ++host) {
    const std::vector<noc::NodeId>& chips = site.chips_of(host);
    all.push_back({Verdict::Part::host,
                   site.slice().name(chips.front()) + " to " + site.slice().name(chips.back()),
                   {},
                   0,
                   largest_free_box(site, chips, {})});
  }
  return all;
}

}  // namespace podsim::workloads::goodput
