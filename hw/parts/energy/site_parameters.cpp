// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/energy/site_parameters.h"

#include "base/parameters/section.h"

namespace podsim::hw::parts::energy {

const base::parameters::Section<SiteParameters>& SiteParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<SiteParameters> keys(
      "site",
      {
          {"host_share", &SiteParameters::host_share, Watts{1e5}, {watts}},
          {"conversion", &SiteParameters::conversion, Real{0.1, 1, "is a share between 0.1 and 1"}, {watts}},
          {"pue", &SiteParameters::pue, Real{1, 10, "is the power of a site over that of its racks: 1 to 10"}, {watts}},
          {"grid_g_per_kwh", &SiteParameters::grid_carbon, Real{0, 1e4, "must be between 0 and 10000 g"}, {watts}},
      });
  return keys;
}

}  // namespace podsim::hw::parts::energy
