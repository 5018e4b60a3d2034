// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/ir/graph.h"

namespace podsim::sw::profile {

/// An op in the text of a profile's row, "%name = shape opcode(shape %operand, ...), attribute=value, ...". Profilers
/// truncate long texts; then it has what the text contains.
struct OpText {
  struct Operand {
    std::string name;
    std::optional<ir::Shape> shape;  ///< missing in newer texts
  };
  std::string name;
  ir::Shape result;
  ir::Opcode opcode = ir::Opcode::unknown;
  std::string opcode_text;
  std::vector<Operand> operands;
  std::map<std::string, std::string, std::less<>> attributes;  ///< values as written, without quotes
  bool cut_off = false;                                        ///< the text ends before the op does
};

/// Returns std::nullopt if the text is not an op or ends before its opcode.
std::optional<OpText> read_op_text(std::string_view text);

/// The arrays of a shape: the shape itself, or all arrays in a tuple, also in nested ones.
std::vector<ir::Shape> arrays_of(const ir::Shape& shape);

/// Bytes of the arrays with their padding.
double padded_bytes(const std::vector<ir::Shape>& arrays);

}  // namespace podsim::sw::profile
