// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::spmd::propagate {

/// Converts tables before their rows are read, where the rows are converted to a narrower type afterwards: of
/// convert(gather(parameter)) the entry gets gather(convert(parameter)), which has the same values. A table that is in
/// shards is then gathered in the type in which the network reads it. A gather with other readers than such
/// conversions to one type is left alone.
hlo::Module narrow_lookups(hlo::Module module);

}  // namespace podsim::hlo::spmd::propagate
