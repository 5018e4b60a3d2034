// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace podsim::hw::isa::pasm {

/// Writes an integer: in decimal if that is short, else its 32 bits in hex.
std::string integer_text(std::int32_t value);
/// The shortest text that is read as these bits where an f32 is expected: "1.5", "-inf", "nan", "0f7fc00001".
std::string f32_text(std::uint32_t bits);
/// Returns true if bits are likely meant as a float: one with few digits and a common magnitude, or infinity.
bool looks_like_f32(std::uint32_t bits);
/// Writes bits of unknown type as the type that they look like. The text is read as these bits where no f32 is
/// expected.
std::string word_text(std::uint32_t bits);
/// Writes words as data directives, one per line. Runs of equal words become `.fill` or `.zeros`.
std::string data_text(std::span<const std::uint32_t> words);

}  // namespace podsim::hw::isa::pasm
