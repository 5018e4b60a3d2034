// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters/section_of.h"

/// What the parts of a chip take of its die, by what they consist of.
namespace podsim::hw::parts::energy {

struct AreaParameters {     ///< [area]; mm2
  double mxu_cell = 0;      ///< a multiply-add cell of an array, its registers and wires
  double vector_alu = 0;    ///< an ALU of one lane of one sublane
  double cross_lane = 0;    ///< the cross-lane unit, for each lane of each sublane
  double scalar = 0;        ///< the scalar unit of a core and its sequencer
  double sram_mib = 0;      ///< a MiB of on-chip memory with banks and wires
  double hbm_channel = 0;   ///< controller and pins of a channel
  double link_gbps = 0;     ///< SerDes of a link for each Gb/s of its raw rate
  double pcie = 0;          ///< the port to the host
  double other = 0;         ///< of a die, what is none of these
  double chip_dollars = 0;  ///< price of a chip that the user states; 0: none

  static const base::parameters::Section<AreaParameters>& section();
};

}  // namespace podsim::hw::parts::energy
