// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters/section_of.h"

/// What a chip's watts become at the meter of a site.
namespace podsim::hw::parts::energy {

struct SiteParameters {    ///< [site]
  double host_share = 0;   ///< watts of hosts, fans and network for each chip
  double conversion = 1;   ///< share of the power at a rack that reaches chips and hosts
  double pue = 1;          ///< power of the site over that of its racks
  double grid_carbon = 0;  ///< grams of CO2 a kWh

  static const base::parameters::Section<SiteParameters>& section();

  /// Watts at the meter for a chip that draws `chip`.
  double watts(double chip) const { return (chip + host_share) / conversion * pue; }
};

}  // namespace podsim::hw::parts::energy
