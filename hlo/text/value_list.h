// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "hlo/text/attribute_value.h"

/// Common parts of attribute values. All throw SyntaxError.
namespace podsim::hlo::text {

/// Most devices that a text may speak of.
inline constexpr std::int64_t max_devices = 1 << 20;

/// The text from `begin` to the scanner's position.
std::string_view taken(const Scanner& scanner, std::size_t begin);

/// Calls `read` for each entry between two brackets; commas separate entries.
void read_list(Scanner& scanner, char open, char close, const std::function<void()>& read);

/// Reads numbers between two brackets.
Integers read_bracketed(Scanner& scanner, char open, char close);

/// Calls `read` for each part of "3x3" or "1_1x0_0".
void read_by_x(Scanner& scanner, const std::function<void()>& read);

/// Reads a number of at least 1.
std::int64_t read_positive(Scanner& scanner, std::string_view what);

/// Reads "(1,0)" after a T: each of the `rank` dimensions of a list of devices once.
std::vector<int> read_permutation(Scanner& scanner, std::size_t rank);

/// Product of sizes, each at least 1. Throws SyntaxError above 2^20 devices.
std::int64_t device_count(const Scanner& scanner, std::size_t begin, const Integers& sizes);

}  // namespace podsim::hlo::text
