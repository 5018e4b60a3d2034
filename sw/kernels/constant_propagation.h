// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/operation.h"

namespace podsim::sw {

/// Scalar registers that are written once in the whole code, with a value known ahead, become literals where they are
/// read afterwards and a literal may stand: fewer registers, and addresses that can be compared.
void propagate_constants(RecordedCode& code);

}  // namespace podsim::sw
