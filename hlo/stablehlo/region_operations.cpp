// SPDX-License-Identifier: Apache-2.0
// Part of hlo/stablehlo/operation_table.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "hlo/stablehlo/operation_table.h"

namespace podsim::hlo::stablehlo {
namespace {

void write_reduce(OperationWriter& writer) {
  const Operation& operation = writer.operation();
  writer.need_operands(2);
  std::string region;
  if (!operation.callee.empty()) {
    const std::string_view opcode = elementwise_opcode(operation.callee);
    if (opcode.empty()) writer.fail(fmt::format("{} is not an operation on two elements", operation.callee));
    region =
        writer.module().combiner(opcode, writer.array_type(writer.operand_type(0).element, {}).hlo, writer.origin());
  } else {
    writer.need_regions(1);
    region = writer.module().combiner(operation.regions[0], writer.writer());
  }
  const Integers dimensions = writer.integer_list(writer.attribute("dimensions"));
  writer.result("reduce", writer.operands(), fmt::format(", dimensions={}, to_apply=%{}", braces(dimensions), region));
}

void write_sort(OperationWriter& writer) {
  writer.need_regions(1);
  const auto last = std::int64_t(writer.operand_type(0).dimensions.size()) - 1;
  const std::int64_t given = writer.has("dimension") ? writer.integer_of(writer.attribute("dimension")) : -1;
  const bool stable = writer.has("is_stable") && boolean(writer.attribute("is_stable"));
  const std::string region = writer.module().combiner(writer.operation().regions[0], writer.writer());
  writer.result("sort", writer.operands(),
                fmt::format(", dimensions={{{}}}{}, to_apply=%{}", given < 0 ? last + 1 + given : given,
                            stable ? ", is_stable=true" : "", region));
}

void write_map(OperationWriter& writer) {
  writer.need_regions(1);
  const std::string region = writer.module().combiner(writer.operation().regions[0], writer.writer());
  const Integers dimensions = writer.integer_list(writer.attribute("dimensions"));
  writer.result("map", writer.operands(), fmt::format(", dimensions={}, to_apply=%{}", braces(dimensions), region));
}

void write_call(OperationWriter& writer) {
  std::string_view callee = writer.operation().callee;
  if (writer.has("callee")) callee = writer.attribute("callee").substr(1);
  const std::string name = writer.module().function(callee, writer.origin());
  writer.result("call", writer.operands(), ", to_apply=%" + name);
}

/// A composite is what its decomposition is.
void write_composite(OperationWriter& writer) {
  const std::string_view decomposition = writer.attribute("decomposition");
  if (!decomposition.starts_with('@')) writer.fail("expected a function as the decomposition");
  const std::string name = writer.module().function(decomposition.substr(1), writer.origin());
  writer.result("call", writer.operands(), ", to_apply=%" + name);
}

/// A loop's state is a tuple: the values of the text, then those that its regions use from outside.
class Loop {
 public:
  explicit Loop(OperationWriter& writer) : writer_(writer), module_(writer.module()) {}

  void write() {
    const Operation& operation = writer_.operation();
    writer_.need_regions(2);
    captured_ = module_.captures({&operation.regions[0], &operation.regions[1]}, writer_.writer());
    for (std::size_t i = 0; i < writer_.count(); ++i) add(writer_.value(i));
    for (const std::string_view use : captured_.uses) add(*writer_.writer().find(use));
    const std::string tuple = module_.types().tuple(types_);
    const std::string begin = writer_.add(tuple, "tuple", operands_);
    const std::string condition = region(operation.regions[0], tuple, false),
                      body = region(operation.regions[1], tuple, true);
    const std::string loop[] = {begin};
    const std::string sharding = module_.sharding(operation.attributes, writer_.writer().manual_axes);
    if (!sharding.empty() && !captured_.uses.empty()) {
      module_.warn_once(operation.name, "the sharding of a loop that uses values from outside is not used");
    }
    const std::string name = writer_.add(
        tuple, "while", loop,
        fmt::format(", condition=%{}, body=%{}{}", condition, body, captured_.uses.empty() ? sharding : ""));
    writer_.define_elements(name);
  }

 private:
  void add(const Value& value) {
    operands_.push_back(value.name);
    types_.push_back(value.type);
  }

  std::string region(const Region& region, const std::string& tuple, bool is_body) {
    if (region.arguments.size() != writer_.count()) writer_.fail("a region of the loop has another number of values");
    ComputationWriter inside(module_.next_number());
    inside.manual_axes = writer_.writer().manual_axes;
    inside.add_parameter("state", tuple, 0, "", writer_.origin());
    std::vector<Value> kept;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const std::string state[] = {"state"};
      const Value value{inside.add(module_.types()[types_[i]].hlo, "get-tuple-element", state,
                                   fmt::format(", index={}", i), writer_.origin()),
                        types_[i], nullptr};
      if (i < region.arguments.size()) {
        inside.define(region.arguments[i].name, {value});
      } else {
        inside.define(captured_.uses[i - region.arguments.size()], {value});
        kept.push_back(value);
      }
    }
    module_.sink(captured_, writer_.writer(), inside);
    std::vector<Value> results = module_.write_operations(region, inside);
    if (!is_body) return module_.finish("while_cond", inside, results, false, writer_.origin());
    results.insert(results.end(), kept.begin(), kept.end());
    return module_.finish("while_body", inside, results, true, writer_.origin());
  }

  OperationWriter& writer_;
  Translator& module_;
  Translator::Captures captured_;
  std::vector<std::string> operands_;
  std::vector<TypeId> types_;
};

void write_while(OperationWriter& writer) { Loop(writer).write(); }

/// A scan is a loop over slices of its inputs. The loop's state has the counter, the carries, the outputs, the inputs,
/// and what the region uses from outside.
class Scan {
 public:
  explicit Scan(OperationWriter& writer) : writer_(writer), module_(writer.module()) {}

  void write() {
    const Operation& operation = writer_.operation();
    writer_.need_regions(1);
    const Region& body = operation.regions[0];
    if (body.arguments.size() != writer_.count()) writer_.fail("the region of a scan takes another number of values");
    // A region takes slices of the inputs, which have a dimension less, and whole carries.
    while (inputs_ < writer_.count() && rank(writer_.value(inputs_).type) > rank(body.arguments[inputs_].type))
      ++inputs_;
    carries_ = writer_.count() - inputs_;
    if (operation.result_types.size() < carries_) writer_.fail("a scan has results for its outputs and its carries");
    outputs_ = operation.result_types.size() - carries_;
    if (inputs_ + outputs_ == 0) writer_.fail("a scan has an input or an output");
    dimension_ = std::size_t(writer_.integer_of(writer_.attribute("dimension")));
    is_reverse_ = writer_.has("is_reverse") && boolean(writer_.attribute("is_reverse"));
    const std::vector<std::int64_t> sizes = (inputs_ > 0 ? writer_.operand_type(0) : writer_.result_type(0)).dimensions;
    if (dimension_ >= sizes.size()) writer_.fail(fmt::format("there is no dimension {}", dimension_));
    length_ = sizes[dimension_];
    write_loop(body);
  }

 private:
  std::size_t rank(TypeId type) const { return module_.types()[type].dimensions.size(); }

  void write_loop(const Region& body) {
    captured_ = module_.captures({&body}, writer_.writer());
    const TypeId counter = module_.types().array("s32", {});
    add(writer_.scalar("s32", "0"), counter);
    for (std::size_t i = 0; i < carries_; ++i) add(writer_.value(inputs_ + i));
    for (std::size_t i = 0; i < outputs_; ++i) {
      const Type type = writer_.result_type(i);
      const bool is_complex = type.element.starts_with('c');
      add(writer_.filled(type, type.element == "pred" ? "false"
                               : is_complex           ? "(0, 0)"
                                                      : "0"),
          writer_.operation().result_types[i]);
    }
    for (std::size_t i = 0; i < inputs_; ++i) add(writer_.value(i));
    for (const std::string_view use : captured_.uses) add(*writer_.writer().find(use));
    const std::string tuple = module_.types().tuple(types_);
    const std::string loop[] = {writer_.add(tuple, "tuple", state_)};
    const std::string name = writer_.add(tuple, "while", loop,
                                         fmt::format(", condition=%{}, body=%{}", condition(tuple), step(body, tuple)));
    std::vector<std::string> results;
    const std::string operand[] = {name};
    for (std::size_t i = 0; i < outputs_ + carries_; ++i) {
      const std::size_t at = i < outputs_ ? 1 + carries_ + i : 1 + i - outputs_;
      results.push_back(
          writer_.add(module_.types()[types_[at]].hlo, "get-tuple-element", operand, fmt::format(", index={}", at)));
    }
    writer_.define(results);
  }

  void add(const Value& value) { add(value.name, value.type); }
  void add(const std::string& name, TypeId type) {
    state_.push_back(name);
    types_.push_back(type);
  }

  std::string element(ComputationWriter& inside, std::size_t i) {
    const std::string state[] = {"state"};
    return inside.add(module_.types()[types_[i]].hlo, "get-tuple-element", state, fmt::format(", index={}", i),
                      writer_.origin());
  }

  std::string condition(const std::string& tuple) {
    ComputationWriter inside(module_.next_number());
    inside.add_parameter("state", tuple, 0, "", writer_.origin());
    const std::string operands[] = {element(inside, 0),
                                    inside.add_constant("s32[]", std::to_string(length_), writer_.origin())};
    const Value goes_on{inside.add("pred[]", "compare", operands, ", direction=LT", writer_.origin()), 0};
    return module_.finish("scan_cond", inside, {goes_on}, false, writer_.origin());
  }

  std::string step(const Region& body, const std::string& tuple) {
    ComputationWriter inside(module_.next_number());
    inside.manual_axes = writer_.writer().manual_axes;
    inside.add_parameter("state", tuple, 0, "", writer_.origin());
    std::vector<Value> state;
    for (std::size_t i = 0; i < types_.size(); ++i) state.push_back({element(inside, i), types_[i]});
    const auto scalar = [&](std::int64_t number) {
      return inside.add_constant("s32[]", std::to_string(number), writer_.origin());
    };
    const auto on_scalars = [&](std::string_view opcode, const std::string& a, const std::string& b) {
      const std::string operands[] = {a, b};
      return inside.add("s32[]", opcode, operands, "", writer_.origin());
    };
    const std::string at = is_reverse_ ? on_scalars("subtract", scalar(length_ - 1), state[0].name) : state[0].name;
    const std::string zero = scalar(0);
    const std::size_t first_output = 1 + carries_, first_input = first_output + outputs_;
    for (std::size_t i = 0; i < body.arguments.size(); ++i) {
      const Value value = i < inputs_ ? slice(inside, state[first_input + i], at, zero) : state[1 + i - inputs_];
      inside.define(body.arguments[i].name, {value});
    }
    for (std::size_t i = 0; i < captured_.uses.size(); ++i) {
      inside.define(captured_.uses[i], {state[first_input + inputs_ + i]});
    }
    module_.sink(captured_, writer_.writer(), inside);
    const std::vector<Value> results = module_.write_operations(body, inside);
    if (results.size() != outputs_ + carries_) writer_.fail("the region of a scan has another number of results");
    state[0].name = on_scalars("add", state[0].name, scalar(1));
    for (std::size_t i = 0; i < carries_; ++i) state[1 + i].name = results[outputs_ + i].name;
    for (std::size_t i = 0; i < outputs_; ++i) update(inside, state[first_output + i], results[i], at, zero);
    return module_.finish("scan_body", inside, state, true, writer_.origin());
  }

  std::vector<std::string> indices(TypeId array, const std::string& at, const std::string& zero) const {
    std::vector<std::string> made(rank(array), zero);
    made[dimension_] = at;
    return made;
  }

  /// The type with a size of one along the scan's dimension.
  Type row_of(TypeId array) {
    const Type type = module_.types()[array];
    std::vector<std::int64_t> sizes = type.dimensions;
    sizes[dimension_] = 1;
    return writer_.array_type(type.element, sizes);
  }

  Value slice(ComputationWriter& inside, const Value& array, const std::string& at, const std::string& zero) {
    const Type row = row_of(array.type);
    std::vector<std::string> operands = indices(array.type, at, zero);
    operands.insert(operands.begin(), array.name);
    const std::string cut[] = {inside.add(row.hlo, "dynamic-slice", operands,
                                          fmt::format(", dynamic_slice_sizes={}", braces(row.dimensions)),
                                          writer_.origin())};
    std::vector<std::int64_t> sizes = row.dimensions;
    sizes.erase(sizes.begin() + std::ptrdiff_t(dimension_));
    const TypeId type = module_.types().array(row.element, sizes);
    return {inside.add(module_.types()[type].hlo, "reshape", cut, "", writer_.origin()), type};
  }

  void update(ComputationWriter& inside, Value& array, const Value& part, const std::string& at,
              const std::string& zero) {
    const std::string operand[] = {part.name};
    std::vector<std::string> operands = indices(array.type, at, zero);
    operands.insert(operands.begin(), inside.add(row_of(array.type).hlo, "reshape", operand, "", writer_.origin()));
    operands.insert(operands.begin(), array.name);
    array.name = inside.add(module_.types()[array.type].hlo, "dynamic-update-slice", operands, "", writer_.origin());
  }

  OperationWriter& writer_;
  Translator& module_;
  Translator::Captures captured_;
  std::size_t inputs_ = 0, carries_ = 0, outputs_ = 0, dimension_ = 0;
  bool is_reverse_ = false;
  std::int64_t length_ = 0;
  std::vector<std::string> state_;
  std::vector<TypeId> types_;
};

void write_scan(OperationWriter& writer) { Scan(writer).write(); }

/// A branch takes what it uses from outside, as a tuple unless it is one value.
struct Branch {
  std::string name, operand;
};

Branch branch(OperationWriter& writer, const Region& region) {
  Translator& module = writer.module();
  const Translator::Captures captured = module.captures({&region}, writer.writer());
  ComputationWriter inside(module.next_number());
  inside.manual_axes = writer.writer().manual_axes;
  std::vector<std::string> operands;
  std::vector<TypeId> types;
  for (const std::string_view use : captured.uses) {
    const Value& value = *writer.writer().find(use);
    operands.push_back(value.name);
    types.push_back(value.type);
  }
  const bool single = operands.size() == 1;
  const std::string type = module.types().results(types);
  inside.add_parameter("captured", type, 0, "", writer.origin());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string parameter[] = {"captured"};
    const std::string name = single ? "captured"
                                    : inside.add(module.types()[types[i]].hlo, "get-tuple-element", parameter,
                                                 fmt::format(", index={}", i), writer.origin());
    inside.define(captured.uses[i], {{name, types[i], nullptr}});
  }
  module.sink(captured, writer.writer(), inside);
  const std::vector<Value> results = module.write_operations(region, inside);
  const std::string operand = single ? operands[0] : writer.add(type, "tuple", operands);
  return {module.finish("branch", inside, results, false, writer.origin()), operand};
}

std::vector<Branch> branches(OperationWriter& writer) {
  std::vector<Branch> made;
  for (const Region& region : writer.operation().regions) made.push_back(branch(writer, region));
  return made;
}

void write_case(OperationWriter& writer) {
  writer.need_operands(1);
  std::vector<std::string> operands{writer.operand(0)}, names;
  for (const Branch& each : branches(writer)) {
    operands.push_back(each.operand);
    names.push_back("%" + each.name);
  }
  if (names.empty()) writer.fail("stablehlo.case needs a region");
  writer.result("conditional", operands, fmt::format(", branch_computations={{{}}}", fmt::join(names, ", ")));
}

void write_if(OperationWriter& writer) {
  writer.need_operands(1);
  writer.need_regions(2);
  const std::vector<Branch> both = branches(writer);
  writer.result("conditional", {writer.operand(0), both[0].operand, both[1].operand},
                fmt::format(", true_computation=%{}, false_computation=%{}", both[0].name, both[1].name));
}

constexpr auto control_rows = std::to_array<OperationRow>({
    {"stablehlo.reduce", write_reduce},
    {"stablehlo.sort", write_sort},
    {"stablehlo.map", write_map},
    {"call", write_call},
    {"func.call", write_call},
    {"stablehlo.composite", write_composite},
    {"stablehlo.while", write_while},
    {"chlo.scan", write_scan},
    {"stablehlo.case", write_case},
    {"stablehlo.if", write_if},
});

}  // namespace

std::span<const OperationRow> region_rows() { return control_rows; }

}  // namespace podsim::hlo::stablehlo
