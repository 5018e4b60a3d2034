// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "hlo/stablehlo/type_table.h"

/// What a text of MLIR says, as it is written: operations with their regions. All views point into the text.
namespace podsim::hlo::stablehlo {

struct NamedValue {
  std::string_view name, value;  ///< value is empty for an attribute that is only named
};
using Attributes = std::vector<NamedValue>;

/// A value that an operation, a block or a function defines: "%0", or "%2:3" for three of them.
struct Definition {
  std::string_view name;
  int count = 1;
};

struct Argument {
  std::string_view name;
  TypeId type = 0;
  Attributes attributes;
  std::string_view location;
};

struct Operation;

/// The only block of a region.
struct Region {
  std::string_view begin;  ///< its '{'
  std::vector<Argument> arguments;
  std::vector<Operation> operations;
};

/// An operation in its pretty or its generic form. What a pretty form writes without a name is in `words` (LT), in
/// `callee` (@f, and the name after "applies"), or in `brackets` ([0:1], <@mesh, [{}]>).
struct Operation {
  std::string_view name;  ///< "stablehlo.add"
  std::vector<Definition> results;
  std::vector<std::string_view> operands;
  Attributes attributes;
  std::vector<std::string_view> words;
  std::string_view callee, brackets, location;
  std::vector<Region> regions;
  std::vector<TypeId> operand_types, result_types;
};

struct Function {
  std::string_view name;
  bool is_public = true, has_body = false;
  std::vector<Argument> results;  ///< without names
  Region body;
};

/// A device mesh of Shardy.
struct NamedMesh {
  std::string_view name, value;  ///< value: <["x"=2, "y"=4]>
};

struct ModuleText {
  std::string_view name;
  Attributes attributes;
  std::vector<Function> functions;
  std::vector<NamedMesh> meshes;
  Attributes aliases;          ///< #name = value
  std::string_view resources;  ///< the text of {-# ... #-}
  TypeTable types;
};

/// The value of an attribute, or nullptr.
inline const std::string_view* find(const Attributes& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &NamedValue::name);
  return found == attributes.end() ? nullptr : &found->value;
}

}  // namespace podsim::hlo::stablehlo
