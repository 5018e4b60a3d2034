// SPDX-License-Identifier: Apache-2.0
#include "noc/router/router_parameters.h"

#include <fmt/format.h>

namespace podsim::noc::router {

std::string router_problem(const RouterParameters& router, std::int64_t largest_packet) {
  if (router.vcs < 1 || router.vcs > 64) return fmt::format("a port has 1 to 64 virtual channels, not {}", router.vcs);
  if (router.buffer_flits < 1 || router.buffer_flits > 65535) return "a virtual channel has room for 1 to 65535 flits";
  if (router.iterations < 1) return "an allocator needs an iteration";
  if (router.route_cycles < 0) return "a stage takes no negative time";
  if (router.vc_cycles < 1 || router.switch_cycles < 1 || router.traversal_cycles < 1) {
    return "allocation and traversal take at least a cycle each";
  }
  if (router.switching == Switching::virtual_cut_through && router.buffer_flits < largest_packet) {
    return fmt::format("virtual cut-through needs room for a packet of {} flits in a virtual channel of {}",
                       largest_packet, router.buffer_flits);
  }
  return "";
}

std::string_view to_string(Switching switching) {
  return switching == Switching::wormhole ? "wormhole" : "virtual_cut_through";
}

std::string_view to_string(Allocation allocation) { return allocation == Allocation::islip ? "islip" : "round_robin"; }

std::string_view to_string(Arbitration arbitration) { return arbitration == Arbitration::fair ? "fair" : "rotary"; }

std::string_view to_string(VcClasses classes) {
  switch (classes) {
    case VcClasses::destination:
      return "destination";
    case VcClasses::dateline:
      return "dateline";
    case VcClasses::none:
      return "none";
  }
  return "";
}

}  // namespace podsim::noc::router
