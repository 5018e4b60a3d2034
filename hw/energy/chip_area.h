// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/energy/part_values.h"
#include "hw/machine.h"

namespace podsim::hw::energy {

/// mm2 of the parts of a chip, from what they consist of:
///
///   mxu         count * size^2 cells of a core            vector      lanes * sublanes * ALUs
///   cross_lane  lanes * sublanes                          scalar      a core
///   vmem        MiB of VMEM                               memories    MiB of SMEM, instruction memory, router buffers
///   levels      MiB of each declared level of memory      hbm         channels
///   ici         links * Gb/s                              host        the port
///   other       what is not published, such as wires between parts: the same whatever the parts are
///
/// The sum is the die.
PartValues chip_area(const Machine& machine);

/// Links that leave a chip: two along each dimension of a pod.
int links_of_chip(const Machine& machine);

}  // namespace podsim::hw::energy
