// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sw/hlo/scanner.h"

/// The attributes of instructions, computations and modules as one table: what form the value of each has. An attribute
/// that is not in the table is kept as it is written.
namespace podsim::sw::hlo {

enum class AttributeForm : std::uint8_t {
  integer,
  number,
  boolean,
  choice,  ///< one of a few words
  quoted,
  integers,
  computations,  ///< names of computations that the instruction calls
  instructions,  ///< names of instructions
  window,
  dimension_labels,
  slice,
  padding,
  replica_groups,
  pairs,
  sharding,
  fields,
  aliases,
  free,  ///< balanced text
};

struct AttributeRow {
  std::string_view name;
  AttributeForm form;
  std::string_view choices;  ///< of form choice, separated by spaces
};

/// Sorted by name.
std::span<const AttributeRow> attribute_table();
/// nullptr when the name is not in the table.
const AttributeRow* find_attribute_row(std::string_view name);

/// One `name=value` of a module's text. The value is in the form its row says: see attribute_value.h.
struct Attribute {
  std::string_view name, value;
};

/// Reads `name=value` at the scanner's place and checks the value's form; SyntaxError.
Attribute read_attribute(Scanner& scanner);

/// "did you mean 'X'?" when `name` resembles a known attribute.
std::string attribute_hint(std::string_view name);

}  // namespace podsim::sw::hlo
