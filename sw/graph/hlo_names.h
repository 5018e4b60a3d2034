// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"

namespace podsim::sw {

/// The module with names that HLO text takes: what is no letter, digit, '_', '-' or '.' becomes a '.', and a name that
/// is taken gets a number. Parameters keep what they were called as their op_name.
Module with_hlo_names(Module module);

}  // namespace podsim::sw
