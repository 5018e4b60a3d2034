// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "noc/ici/ici_parameters.h"

namespace podsim::noc::chip_switch {

inline const ici::SwitchParameters wide{
    .bytes_per_cycle = 512, .crossing_latency = base::Cycles(10), .queue_packets = 16};

}  // namespace podsim::noc::chip_switch
