// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "noc/ici/ici_parameters.h"

namespace podsim::noc::ici {

/// One byte takes one nanosecond; a hop takes 300 ns, 550 ns between pods.
inline IciParameters slow_links() {
  return {.link_rate = base::Bandwidth(2e9),
          .payload_fraction = 0.5,
          .hop_latency = base::Duration(300e-9),
          .remote_dma_latency = base::Duration(700e-9),
          .cross_pod_latency = base::Duration(250e-9),
          .switch_crossing = base::Duration(0)};
}

}  // namespace podsim::noc::ici
