// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/graph.h"

namespace podsim::validation::profile {

/// An op in the text of a profile's row, "%name = shape opcode(shape %operand, ...), attribute=value, ...". Profilers
/// truncate long texts; then it has what the text contains.
struct OpText {
  struct Operand {
    std::string name;
    std::optional<hlo::Shape> shape;  ///< missing in newer texts
  };
  std::string name;
  hlo::Shape result;
  hlo::Opcode opcode = hlo::Opcode::unknown;
  std::string opcode_text;
  std::vector<Operand> operands;
  std::map<std::string, std::string, std::less<>> attributes;  ///< values as written, without quotes
  bool cut_off = false;                                        ///< the text ends before the op does
};

/// Returns std::nullopt if the text is not an op or ends before its opcode.
std::optional<OpText> read_op_text(std::string_view text);

/// The arrays of a shape: the shape itself, or all arrays in a tuple, also in nested ones.
std::vector<hlo::Shape> arrays_of(const hlo::Shape& shape);

/// Bytes of the arrays with their padding.
double padded_bytes(const std::vector<hlo::Shape>& arrays);

}  // namespace podsim::validation::profile
