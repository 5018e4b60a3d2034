// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// An op as a profile's row writes it, "%name = shape opcode(shape %operand, ...), attribute=value, ...", as far as its
/// text goes: profilers cut long ones off.
struct OpText {
  struct Operand {
    std::string name;
    std::optional<Shape> shape;  ///< newer texts leave it out
  };
  std::string name;
  Shape result;
  Opcode opcode = Opcode::unknown;
  std::string opcode_text;
  std::vector<Operand> operands;
  std::map<std::string, std::string, std::less<>> attributes;  ///< values as they are written, without quotes
  bool cut_off = false;                                        ///< the text ends before the op does
};

/// Nothing when the text is not an op or ends before its opcode.
std::optional<OpText> read_op_text(std::string_view text);

/// The arrays of a shape: itself, or all elements of a tuple that are arrays, nested ones too.
std::vector<Shape> arrays_of(const Shape& shape);

}  // namespace podsim::sw
