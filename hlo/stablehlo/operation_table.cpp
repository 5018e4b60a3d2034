// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/operation_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/diagnostic.h"

namespace podsim::hlo::stablehlo {
namespace {

const std::unordered_map<std::string_view, Handler>& handlers() {
  static const auto all = [] {
    std::unordered_map<std::string_view, Handler> made;
    for (const auto rows : {elementwise_rows(), special_function_rows(), shape_rows(), contraction_rows(),
                            region_rows(), collective_rows(), sharding_rows(), other_rows()}) {
      for (const OperationRow& row : rows) made.emplace(row.name, row.write);
    }
    return made;
  }();
  return all;
}

std::string unknown_hint(std::string_view name) {
  if (name.find("dynamic") != std::string_view::npos) return "lower the program with fixed shapes";
  const std::string hint = base::did_you_mean(name, operation_names());
  return hint.empty() ? "lower the module to StableHLO first" : hint;
}

}  // namespace

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& [known, handler] : handlers()) names.emplace_back(known);
  std::ranges::sort(names);
  return names;
}

std::string braces(std::span<const std::int64_t> values) { return fmt::format("{{{}}}", fmt::join(values, ",")); }

void OperationWriter::run() {
  const auto found = handlers().find(name_);
  if (found == handlers().end()) {
    fail(fmt::format("the operation {} has no translation", operation_.name), unknown_hint(operation_.name));
  }
  found->second(*this);
}

void OperationWriter::run_as(std::string_view name, std::vector<Value> operands) {
  name_ = name;
  given_ = std::move(operands);
  run();
}

const Value& OperationWriter::value(std::size_t i) const {
  if (i >= count()) fail(fmt::format("{} has {} operands", operation_.name, count()));
  return given_.empty() ? *writer_.find(operation_.operands[i]) : given_[i];
}

const Type& OperationWriter::result_type(std::size_t i) const {
  if (i >= operation_.result_types.size()) fail(fmt::format("{} does not say its result's type", operation_.name));
  return module_.types()[operation_.result_types[i]];
}

std::vector<std::string> OperationWriter::operands() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count(); ++i) names.push_back(operand(i));
  return names;
}

std::string_view OperationWriter::attribute(std::string_view name) const {
  const std::string_view* found = find(operation_.attributes, name);
  if (found == nullptr) fail(fmt::format("{} needs '{}'", operation_.name, name));
  return *found;
}

std::string_view OperationWriter::any_attribute(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (const std::string_view* found = find(operation_.attributes, name)) return *found;
  }
  return {};
}

Integers OperationWriter::integer_list(std::string_view value) const {
  return module_.located(value, [&] { return integers(value); });
}

std::int64_t OperationWriter::integer_of(std::string_view value) const {
  return module_.located(value, [&] { return integer(value); });
}

Integers OperationWriter::constant_operand(std::size_t i) const {
  const Value& given = value(i);
  if (given.constant == nullptr) {
    module_.fail(operation_.operands[i], "this is known only at run time", "lower the program with fixed shapes");
  }
  const Type& type = module_.types()[given.type];
  Integers values = integer_list(*find(given.constant->attributes, "value"));
  const std::int64_t count = product(type.dimensions);
  if (values.size() == 1) values.resize(std::size_t(std::max<std::int64_t>(count, 0)), values[0]);
  if (std::int64_t(values.size()) != count) fail(fmt::format("operand {} is no constant of {} integers", i, count));
  return values;
}

std::string OperationWriter::add(std::string_view type, std::string_view opcode, std::span<const std::string> operands,
                                 std::string_view attributes) {
  const std::string& metadata = module_.locations().metadata(operation_.location);
  if (metadata.empty()) return writer_.add(type, opcode, operands, attributes, origin());
  return writer_.add(type, opcode, operands, std::string(attributes) + metadata, origin());
}

std::string OperationWriter::add(const Type& type, std::string_view opcode, std::initializer_list<std::string> operands,
                                 std::string_view attributes) {
  return add(std::string(type.hlo), opcode, std::span(operands.begin(), operands.size()), attributes);
}

std::string OperationWriter::scalar(std::string_view element, std::string_view literal) {
  return writer_.add_constant(std::string(element) + "[]", literal, origin());
}

const Type& OperationWriter::array_type(const std::string& element, const std::vector<std::int64_t>& dimensions) {
  return module_.types()[module_.types().array(element, dimensions)];
}

std::string OperationWriter::filled(const Type& type, std::string_view literal) {
  const std::string hlo = type.hlo;
  const bool is_scalar = type.dimensions.empty();
  const std::string value[] = {scalar(type.element, literal)};
  return is_scalar ? value[0] : add(hlo, "broadcast", value, ", dimensions={}");
}

void OperationWriter::result(std::string_view opcode, std::span<const std::string> operands,
                             std::string_view attributes) {
  const std::string sharding = module_.sharding(operation_.attributes, writer_.manual_axes);
  const std::string name = add(module_.types().results(operation_.result_types), opcode, operands,
                               sharding.empty() ? std::string(attributes) : std::string(attributes) + sharding);
  if (operation_.result_types.size() == 1) {
    define({name});
  } else {
    define_elements(name);
  }
}

void OperationWriter::result(std::string_view opcode, std::initializer_list<std::string> operands,
                             std::string_view attributes) {
  result(opcode, std::span(operands.begin(), operands.size()), attributes);
}

void OperationWriter::define(const std::vector<std::string>& names, const Operation* constant, bool is_small) {
  std::size_t next = 0;
  for (const Definition& made : operation_.results) {
    std::vector<Value> values;
    for (int i = 0; i < made.count; ++i, ++next) {
      if (next >= names.size() || next >= operation_.result_types.size()) {
        fail(fmt::format("{} has {} results, the text names more", operation_.name, names.size()));
      }
      values.push_back({names[next], operation_.result_types[next], constant, is_small});
    }
    writer_.define(made.name, std::move(values));
  }
}

void OperationWriter::define_elements(const std::string& tuple) {
  std::vector<std::string> names;
  const std::string operand[] = {tuple};
  for (std::size_t i = 0; i < operation_.result_types.size(); ++i) {
    names.push_back(add(std::string(result_type(i).hlo), "get-tuple-element", operand, fmt::format(", index={}", i)));
  }
  define(names);
}

void OperationWriter::need_operands(std::size_t least) const {
  if (count() < least) fail(fmt::format("{} has {} operands, it needs {}", operation_.name, count(), least));
}

void OperationWriter::need_regions(std::size_t wanted) const {
  if (operation_.regions.size() != wanted) {
    fail(fmt::format("{} has {} regions, it needs {}", operation_.name, operation_.regions.size(), wanted));
  }
}

}  // namespace podsim::hlo::stablehlo
