// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/run/run_options.h"
#include "base/units.h"

namespace podsim::app::serve {

/// Bytes of the weights of a decoder, each once however many cores hold it: what no slice does with less of.
struct WeightBytes {
  base::Bytes all;
  base::Bytes read;  ///< without tables of which a step takes rows only
};

/// Those of the graph that `podsim run --decode` compiles. InputError for settings that it refuses.
WeightBytes weight_bytes(const run::RunOptions& options);

}  // namespace podsim::app::serve
