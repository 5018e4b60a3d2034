// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/text/attribute_value.h"
#include "hlo/text/scanner.h"

/// Values that name the axes of a mesh: "mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0))". 'y':(2)2 is the part of axis y
/// of 2 neighbours after the outer 2. All throw SyntaxError.
namespace podsim::hlo::text {

/// Reads the rest of "{mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}], manual={...}}" after its first bracket, in the form
/// of HLO's tiles. Axes that are unreduced count as replicated; a sharding that names no axes and leaves dimensions
/// open is of kind `unknown`. `states_rank` keeps dimensions of which none is divided, as a tiled sharding.
hlo::Sharding read_named_sharding(Scanner& scanner, bool states_rank);

/// Reads "mesh['x'=2,'y'=4] {'x'}": a group extends along the axes in braces, listed from major to minor.
ReplicaGroups read_mesh_groups(Scanner& scanner);

/// True if such a value follows.
bool mesh_follows(Scanner& scanner);

}  // namespace podsim::hlo::text
