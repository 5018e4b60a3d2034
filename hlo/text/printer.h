// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hlo/text/module.h"

/// Prints HLO text in one form: names with '%', operands without shapes, a signature for every computation, one
/// instruction per line, called computations before their callers, attributes in the order in which they were read, no
/// comments. Reading printed text and printing it again gives the same bytes.
namespace podsim::hlo::text {

std::string print(const Module& module);
/// Prints modules one after another, separated by a line "// -----".
std::string print(std::span<const Module> modules);

/// A value without comments, with white space only where it separates words; quoted text is unchanged.
std::string canonical_text(std::string_view value);

}  // namespace podsim::hlo::text
