// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hlo/stablehlo/operation.h"

namespace podsim::hlo::stablehlo {

/// Reads operations and their regions.
class OperationParser {
 public:
  OperationParser(Cursor& cursor, TypeTable& types) : cursor_(cursor), types_(types) {}

  /// Reads "{ operations }"; a block's arguments may precede them.
  Region region();
  /// Reads "{name = value, unit}".
  Attributes dictionary();
  /// Reads "%arg0: type {attributes} loc(...)".
  Argument argument();
  /// Reads "loc(...)" if it follows.
  std::string_view location();

 private:
  Operation operation();
  std::vector<Definition> definitions();
  void generic_form(Operation& made);
  void pretty_form(Operation& made);
  bool pretty_item(Operation& made);
  void while_form(Operation& made);
  void reduce_form(Operation& made);
  void manual_form(Operation& made);
  void scan_form(Operation& made);
  void named_item(Operation& made, std::string_view name);
  void types(Operation& made);
  void append_dictionary(Operation& made);
  void add_operands(Operation& made);

  Cursor& cursor_;
  TypeTable& types_;
  int depth_ = 0;
};

}  // namespace podsim::hlo::stablehlo
