// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Values of attributes of MLIR. All throw Fault with an offset in the value's own text; Translator adds its location.
namespace podsim::hlo::stablehlo {

using Integers = std::vector<std::int64_t>;

/// The integers of "[1, 2]", "array<i64: 1, 2>", "1 : i64", "true", "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>",
/// "dense<0> : tensor<4x2xi64>" or "dense<"0x...">", row by row.
Integers integers(std::string_view value);
/// The product of sizes; -1 if one is negative or the product is beyond 2^48.
std::int64_t product(const Integers& sizes);
/// The sizes of the tensor that a dense value has.
Integers dense_sizes(std::string_view value);
std::int64_t integer(std::string_view value);
/// True for "true" and for an attribute that is only named.
bool boolean(std::string_view value);
/// The word of "DEFAULT", "#stablehlo<precision DEFAULT>" or "\"DEFAULT\"".
std::string_view word(std::string_view value);
/// The words of a list of these.
std::vector<std::string_view> word_list(std::string_view value);
/// The parts of "a, b" at commas outside brackets and quotes.
std::vector<std::string_view> comma_parts(std::string_view value);
/// The same, without a pair of brackets around all of them.
std::vector<std::string_view> parts(std::string_view value);
/// The value of `name` in "#stablehlo.gather<offset_dims = [1], ...>" or "{stride = [1]}"; empty if it is missing.
std::string_view field(std::string_view value, std::string_view name);
/// The text between the brackets that open first and their end.
std::string_view inner(std::string_view value);
/// The bytes of a string of hexadecimal digits "0x..."; throws Fault at another character.
std::string hex_bytes(std::string_view digits);
/// Without white space at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace podsim::hlo::stablehlo
