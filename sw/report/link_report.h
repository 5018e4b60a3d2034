// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "noc/topology.h"

/// What the links of a slice carried, as a table and as a picture.
namespace podsim::sw {

struct LinkFigures {
  noc::LinkId link = 0;
  std::int64_t amount = 0;   ///< flits or bytes
  double utilisation = 0;    ///< share of the time, 0 to 1
  std::int64_t retries = 0;  ///< times that it repeated itself
  bool dead = false;
};

/// A line per link: from, to, dimension, direction, amount, utilisation, retries, state. `unit` heads the column of
/// amounts.
std::string link_csv(const noc::Topology& topology, std::span<const LinkFigures> links, std::string_view unit);

/// The grid with its links coloured from idle to full; dead ones are dashed. Wrap links are stubs at both ends.
/// Dimensions beyond the second stand beside one another. A link's figures appear when one points at it.
std::string link_svg(const noc::Topology& topology, std::span<const LinkFigures> links, std::string_view title);

}  // namespace podsim::sw
