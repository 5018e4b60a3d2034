// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/serve/serve_options.h"
#include "report/serving/slices_report.h"

namespace podsim::app::serve {

/// Serves the same requests on each of the slices of --slices, or on those of the machine from the fewest chips on
/// until one meets the level (--slices auto), without those that cannot (SliceBounds). A slice on which the model does
/// not run is refused in its row. InputError if it runs on none of them, unless all have too little memory, and without
/// a service level.
report::serving::SlicesReport run_slices(const ServeOptions& options);

}  // namespace podsim::app::serve
