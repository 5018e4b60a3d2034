// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hlo/text/scanner.h"

/// The attributes of instructions, computations and modules in one table, with the form of each value. An attribute
/// that is not in the table is kept as written.
namespace podsim::hlo::text {

enum class AttributeForm : std::uint8_t {
  integer,
  number,
  boolean,
  choice,  ///< one of a fixed set of words
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
  slice_sizes,
  sharding,
  fields,
  aliases,
  free,  ///< text with paired brackets
};

struct AttributeRow {
  std::string_view name;
  AttributeForm form;
  std::string_view choices;  ///< for form choice: the words, separated by spaces
};

/// Sorted by name.
std::span<const AttributeRow> attribute_table();
/// Returns nullptr if the name is not in the table.
const AttributeRow* find_attribute_row(std::string_view name);

/// A `name=value` pair of a module's text. The value has the form of its row: see attribute_value.h.
struct Attribute {
  std::string_view name, value;
};

/// Reads `name=value` at the scanner's position and checks the form of the value. Throws SyntaxError.
Attribute read_attribute(Scanner& scanner);

/// Returns "did you mean 'X'?" if `name` resembles a known attribute.
std::string attribute_hint(std::string_view name);

}  // namespace podsim::hlo::text
