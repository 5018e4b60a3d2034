// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/codegen/registers/operation.h"

namespace podsim::sw::codegen::registers {

/// Replaces scalar registers that are written only once in the whole code, with a known value, by literals in all later
/// reads that allow literals. That saves registers and lets addresses be compared.
void propagate_constants(RecordedCode& code);

}  // namespace podsim::sw::codegen::registers
