// SPDX-License-Identifier: Apache-2.0
// Part of sw/stablehlo/operation_table.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "sw/stablehlo/operation_table.h"

namespace podsim::sw::stablehlo {
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
    {"stablehlo.case", write_case},
    {"stablehlo.if", write_if},
});

}  // namespace

std::span<const OperationRow> region_rows() { return control_rows; }

}  // namespace podsim::sw::stablehlo
