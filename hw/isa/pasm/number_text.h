// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace podsim::hw::isa::pasm {

/// A whole number: decimal if that is short, else its 32 bits in hex.
std::string integer_text(std::int32_t value);
/// The shortest text that is read as these bits where an f32 is due: "1.5", "-inf", "nan", "0f7fc00001".
std::string f32_text(std::uint32_t bits);
/// Whether bits are likely meant as a float: one with few digits and an everyday magnitude.
bool looks_like_f32(std::uint32_t bits);
/// Bits whose type is not known, as whichever they look like; read as these bits where no f32 is due.
std::string word_text(std::uint32_t bits);
/// Data directives for words, a line each, with runs of equal words and zeros kept short.
std::string data_text(std::span<const std::uint32_t> words);

}  // namespace podsim::hw::isa::pasm
