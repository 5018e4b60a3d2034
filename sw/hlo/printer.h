// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sw/hlo/module.h"

/// HLO text in one form: names with '%', operands without shapes, every signature written out, one instruction a line,
/// called computations before their callers, attributes in the order in which they were read, no comments. Reading what
/// was printed and printing it again gives the same bytes.
namespace podsim::sw::hlo {

std::string print(const Module& module);
/// One after another, apart by a line "// -----".
std::string print(std::span<const Module> modules);

/// A value without comments and with white space only where it separates words; what stands between quotes stays.
std::string canonical_text(std::string_view value);

}  // namespace podsim::sw::hlo
