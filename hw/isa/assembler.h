// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hw/isa/program.h"

namespace podsim::hw::isa {

/// Assembles `.pasm` text (docs/isa.md). `file` is what messages call it. base::InputError with a diagnostic for every
/// mistake that could be found in one pass: file, line, column, a caret, and a suggestion where there is a near miss.
Program assemble(const std::string& file, std::string_view text);

/// Text that assembles to the same program: bundles, data, expectations, strings and labels are equal.
std::string disassemble(const Program& program);
/// One bundle on a line, "{ s.add s1, s1, 8 ; vld v2, [s1 + 0] }"; branch targets as labels where `program` has one.
std::string disassemble(const Bundle& bundle, const Program* program = nullptr);

}  // namespace podsim::hw::isa
