// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo {

/// Renames the instructions to names that HLO text allows: any character other than a letter, digit, '_', '-' or '.'
/// becomes a '.', and a name that is already taken gets a number. Parameters keep their original name as op_name.
Module with_hlo_names(Module module);

}  // namespace podsim::hlo
