// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/goodput/goodput_options.h"
#include "report/goodput_report.h"

namespace podsim::app::goodput {

/// Simulates the step on the slice and on smaller ones, then the job over its days, with every seed. InputError for
/// flags that do not fit each other.
report::GoodputReport run_goodput(const GoodputOptions& options);

}  // namespace podsim::app::goodput
