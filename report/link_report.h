// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "noc/topology.h"

/// The traffic on the links of a slice, as a table and as a picture.
namespace podsim::report {

/// "(0,1)x+": the chip that the link leaves, its dimension and direction.
std::string link_name(const noc::Topology& topology, noc::LinkId id);

struct LinkFigures {
  noc::LinkId link = 0;
  std::int64_t amount = 0;   ///< flits or bytes
  double utilisation = 0;    ///< busy share of the time, 0 to 1
  std::int64_t retries = 0;  ///< number of retransmissions
  bool dead = false;
};

/// CSV with a line for each link: from, to, dimension, direction, amount, utilisation, retries, state. `unit` is the
/// heading of the amounts.
std::string link_csv(const noc::Topology& topology, std::span<const LinkFigures> links, std::string_view unit);

/// The grid with its links coloured from idle to full; dead links are dashed. Wrap links are stubs at both ends. Planes
/// of dimensions beyond the second are next to each other. A tooltip on each link gives its figures.
std::string link_svg(const noc::Topology& topology, std::span<const LinkFigures> links, std::string_view title);

}  // namespace podsim::report
