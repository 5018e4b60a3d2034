// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/stablehlo/translator.h"

namespace podsim::hlo::stablehlo {

/// Writes the instructions of one operation. The handlers are functions of the families elementwise_operations.cpp,
/// shape_operations.cpp, contraction_operations.cpp, region_operations.cpp, collective_operations.cpp and
/// other_operations.cpp; quantised_operations.cpp is for all of them.
class OperationWriter {
 public:
  OperationWriter(Translator& module, ComputationWriter& writer, const Operation& operation)
      : module_(module), writer_(writer), operation_(operation), name_(operation.name) {}

  /// Throws Fault at an operation that has no translation.
  void run();
  /// Writes the operation as if it had this name and these operands.
  void run_as(std::string_view name, std::vector<Value> operands);

  Translator& module() { return module_; }
  ComputationWriter& writer() { return writer_; }
  const Operation& operation() const { return operation_; }
  std::string_view name() const { return name_; }
  LineOrigin origin() const { return module_.origin(operation_.name); }

  std::size_t count() const { return operation_.operands.size(); }
  const Value& value(std::size_t i) const;
  const std::string& operand(std::size_t i) const { return value(i).name; }
  const Type& operand_type(std::size_t i) const { return module_.types()[value(i).type]; }
  const Type& result_type(std::size_t i = 0) const;
  std::vector<std::string> operands() const;

  bool has(std::string_view name) const { return find(operation_.attributes, name) != nullptr; }
  /// The value of an attribute; Fault if it is missing.
  std::string_view attribute(std::string_view name) const;
  /// The value of the first of these that is present; empty if none is.
  std::string_view any_attribute(std::initializer_list<std::string_view> names) const;
  Integers integer_list(std::string_view value) const;
  std::int64_t integer_of(std::string_view value) const;
  /// The integers of an operand that is a constant; Fault if it is computed.
  Integers constant_operand(std::size_t i) const;

  /// Appends an instruction that is not the last one of the operation.
  std::string add(std::string_view type, std::string_view opcode, std::span<const std::string> operands,
                  std::string_view attributes = "");
  std::string add(const Type& type, std::string_view opcode, std::initializer_list<std::string> operands,
                  std::string_view attributes = "");
  std::string scalar(std::string_view element, std::string_view literal);
  /// An array of this type of which all elements are a number.
  std::string filled(const Type& type, std::string_view literal);
  const Type& array_type(const std::string& element, const std::vector<std::int64_t>& dimensions);
  /// Appends the instruction that gives the results, with the operation's sharding; several come as a tuple.
  void result(std::string_view opcode, std::span<const std::string> operands, std::string_view attributes = "");
  void result(std::string_view opcode, std::initializer_list<std::string> operands, std::string_view attributes = "");
  /// The results are these instructions.
  void define(const std::vector<std::string>& names, const Operation* constant = nullptr, bool is_small = true);
  /// The results are the first elements of a tuple.
  void define_elements(const std::string& tuple);
  [[noreturn]] void fail(const std::string& message, const std::string& hint = "") const {
    module_.fail(operation_.name, message, hint);
  }
  void need_operands(std::size_t least) const;
  void need_regions(std::size_t wanted) const;

 private:
  Translator& module_;
  ComputationWriter& writer_;
  const Operation& operation_;
  std::string_view name_;
  std::vector<Value> given_;  ///< operands that stand for those of the text; empty: those of the text
};

/// Whether an operation takes or gives values of a quantised type.
bool is_quantised(Translator& module, const ComputationWriter& writer, const Operation& operation);
/// Writes such an operation. Moves are of integers. All others are, as StableHLO defines them, operations on the real
/// numbers that these stand for, whose results are rounded to integers again.
void write_quantised(Translator& module, ComputationWriter& writer, const Operation& operation);

using Handler = void (*)(OperationWriter&);
struct OperationRow {
  std::string_view name;
  Handler write;
};

/// The rows of each family.
std::span<const OperationRow> elementwise_rows();
std::span<const OperationRow> special_function_rows();
std::span<const OperationRow> shape_rows();
std::span<const OperationRow> contraction_rows();
std::span<const OperationRow> region_rows();
std::span<const OperationRow> collective_rows();
std::span<const OperationRow> sharding_rows();
std::span<const OperationRow> other_rows();

/// The names of all operations that have a translation, such as "stablehlo.add", in their order.
std::vector<std::string> operation_names();

/// The opcode of HLO for an operation on elements, "add" for "stablehlo.add"; empty if there is none.
std::string_view elementwise_opcode(std::string_view name);

/// "{1,2}".
std::string braces(std::span<const std::int64_t> values);

}  // namespace podsim::hlo::stablehlo
