// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace podsim::base {

/// A physical value as a user writes it, "<number> <unit>", in base units (seconds, hertz, bytes, bytes per second,
/// joules, watts, cycles) with its dimension. Bits are lower-case b, bytes upper-case B: "656 Gb/s" is "82 GB/s". k, M,
/// G, T are powers of 1000; Ki, Mi, Gi, Ti are powers of 1024.
struct Dimensional {
  enum class Kind { duration, frequency, bandwidth, bytes, energy, power, cycles };
  Kind kind;
  double si;
  bool operator==(const Dimensional&) const = default;
};

/// Name of a dimension for messages: "a bandwidth", "an amount of data".
std::string to_string(Dimensional::Kind kind);

/// Parses "940 MHz", "82 GB/s", "656 Gb/s", "16 MiB", "300 ns", "135 cycles". `where` locates the first character of
/// `text`. InputError there for a missing or unknown unit, a negative or infinite value, or a fraction of a byte or of
/// a cycle.
Dimensional parse_dimensional(std::string_view text, const SourceLocation& where);

/// Returns whether `text` starts like a quantity: with a digit, optionally after a sign or a point.
bool looks_dimensional(std::string_view text);

}  // namespace podsim::base
