// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hlo/stablehlo/hlo_text.h"
#include "hlo/stablehlo/operation.h"

namespace podsim::hlo::stablehlo {

/// A value of MLIR as an instruction of HLO.
struct Value {
  std::string name;
  TypeId type = 0;
  const Operation* constant = nullptr;  ///< if a constant defines it
  bool is_small = true;                 ///< a constant that regions write anew instead of taking it from outside
};

/// A computation of HLO that is being written, with the values that its instructions have.
class ComputationWriter {
 public:
  /// `next` numbers the instructions.
  explicit ComputationWriter(int& next) : next_(next) {}

  /// Appends a line and returns the instruction's name; `origin` is the operation in the text.
  std::string add(std::string_view type, std::string_view opcode, std::span<const std::string> operands,
                  std::string_view attributes, LineOrigin origin);
  std::string add_constant(std::string_view type, std::string_view literal, LineOrigin origin);
  void add_parameter(const std::string& name, std::string_view type, int number, std::string_view attributes,
                     LineOrigin origin);

  void define(std::string_view name, std::vector<Value> values);
  /// The value of "%2" or "%2#1"; nullptr if there is none.
  const Value* find(std::string_view use) const;
  /// Marks the instruction that is the result.
  void set_root(const std::string& name);

  const std::string& body() const { return body_; }
  const std::vector<LineOrigin>& lines() const { return lines_; }
  bool is_combiner = false;                   ///< a function of scalars: constraints mean nothing in it
  std::vector<std::string_view> manual_axes;  ///< of the manual computation that is being written

 private:
  /// Attributes that the text breaks over lines are one line here.
  void end_line(LineOrigin origin);

  int& next_;
  std::string body_;
  std::size_t line_ = 0;  ///< where the line that is being written begins
  std::vector<LineOrigin> lines_;
  std::unordered_map<std::string_view, std::vector<Value>> values_;
};

}  // namespace podsim::hlo::stablehlo
