// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/driver/compilation.h"

/// The passes that make the program of one core of one of all cores. All but the last work on the whole program; they
/// run in the order in which they are declared, and only if the program is partitioned.
namespace podsim::sw::driver {

/// Refuses a program whose shapes do not follow from their operands: the partitioner computes them anew.
void check_shapes(Compilation& compilation);
/// Where shardings list devices in an order that is no grid, counts positions in Partitioned::devices.
void number_devices(Compilation& compilation);
/// Chooses the mesh: what the choices say, else that of the annotations, else all cores along one axis.
void choose_mesh(Compilation& compilation);
/// Writes the shardings of a file to the values that it names.
void annotate(Compilation& compilation);
/// Makes branches of values that are on one device alone.
void split_device_branches(Compilation& compilation);
/// Shards weights and slots, with their updates, over the axes of the choices.
void shard_weight_updates(Compilation& compilation);
/// The program of one core.
void partition(Compilation& compilation);

}  // namespace podsim::sw::driver
