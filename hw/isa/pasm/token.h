// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hw/isa/pasm/report.h"

namespace podsim::hw::isa::pasm {

/// A lexical token of `.pasm` text.
struct Token {
  enum class Kind : std::uint8_t {
    identifier,   ///< letters, digits, '_' and '.', not beginning with a digit or '.'
    directive,    ///< '.' and an identifier
    integer,      ///< 12, 0x1f, 0b101
    real,         ///< 1.5, 1e-3
    float_bits,   ///< 0f3f800000: a float by its bits
    string,       ///< "..." with \" \\ \n \t \xHH
    punctuation,  ///< { } ; , [ ] : = + - * / << >> ( ) @ !
    line_end,
    end,
  };
  Kind kind = Kind::end;
  bool hex = false;          ///< for an integer: written with 0x or 0b
  Span span;                 ///< location in the text; a string's contents are not decoded
  std::int64_t integer = 0;  ///< value of integer and float_bits
  double real = 0;
};

/// Splits a text into tokens, the last of kind `end`. Reports illegal characters and leaves them out; reports malformed
/// numbers and replaces them by 0. Comments run from // to the end of the line.
std::vector<Token> tokenize(Report& report);

/// Returns the contents of a string token.
std::string decode_string(std::string_view quoted);
/// Returns the string token of a text, with its quotes.
std::string encode_string(std::string_view text);

bool is_identifier(std::string_view text);

}  // namespace podsim::hw::isa::pasm
