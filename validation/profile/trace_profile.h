// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "validation/profile/profile.h"

namespace podsim::validation::profile {

/// The ops of XProf's trace (`xplane.pb`) as XProf's own table sums them up: the executions of an op on all cores of
/// the file are one row, and the self time of an op is its duration without those of the ops within it. Ops are the
/// events of the lines "XLA Ops"; in a trace without these, as of a CPU or a GPU, all events with an `hlo_op`, whose
/// texts are in the modules of the trace. The op with the longest time comes first. Throws InputError if the trace is
/// damaged (with the location) or has no ops.
Profile trace_profile(const std::string& file, std::string_view bytes);

}  // namespace podsim::validation::profile
