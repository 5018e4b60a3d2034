// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "sw/hlo/attribute_value.h"

/// Parts that the values of attributes have in common. All throw SyntaxError.
namespace podsim::sw::hlo {

/// What a reader took from the text since `begin`.
std::string_view taken(const Scanner& scanner, std::size_t begin);

/// Calls `read` for the entries between two brackets, separated by commas.
void read_list(Scanner& scanner, char open, char close, const std::function<void()>& read);

/// Numbers between two brackets.
Integers read_bracketed(Scanner& scanner, char open, char close);

/// The parts of "3x3" or "1_1x0_0", each read by `read`.
void read_by_x(Scanner& scanner, const std::function<void()>& read);

/// A number of at least 1.
std::int64_t read_positive(Scanner& scanner, std::string_view what);

/// The product of sizes, each at least 1 and together at most 2^20 devices.
std::int64_t device_count(const Scanner& scanner, std::size_t begin, const Integers& sizes);

}  // namespace podsim::sw::hlo
