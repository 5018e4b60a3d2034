// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hw/isa/program.h"

namespace podsim::hw::isa::pasm {

/// Assembles `.pasm` text (docs/isa.md). `file` is its name in messages. Throws base::InputError with a diagnostic for
/// every mistake that could be found in one pass: file, line, column, a caret, and a suggestion for near misses.
Program assemble(const std::string& file, std::string_view text);

/// Returns text that assembles to the same program, with equal bundles, data, expectations, strings and labels.
std::string disassemble(const Program& program);
/// Returns a bundle as one line, "{ s.add s1, s1, 8 ; vld v2, [s1] }". Branch targets are labels if `program` has one
/// there.
std::string disassemble(const Bundle& bundle, const Program* program = nullptr);

}  // namespace podsim::hw::isa::pasm
