// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/graph.h"

namespace podsim::sw::spmd::propagate {

/// Converts tables before their rows are read, where the rows are converted to a narrower type afterwards: of
/// convert(gather(parameter)) the entry gets gather(convert(parameter)), which has the same values. A table that is in
/// shards is then gathered in the type in which the network reads it. A gather with other readers than such
/// conversions to one type is left alone.
ir::Module narrow_lookups(ir::Module module);

}  // namespace podsim::sw::spmd::propagate
