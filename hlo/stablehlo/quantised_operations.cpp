// SPDX-License-Identifier: Apache-2.0
// Part of hlo/stablehlo/operation_table.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "hlo/element_type.h"
#include "hlo/stablehlo/operation_table.h"

namespace podsim::hlo::stablehlo {
namespace {

using quant::Quantisation;

/// True of operations that move integers, whatever these stand for.
bool moves_integers(std::string_view name) {
  static const std::set<std::string_view> moves{"stablehlo.constant",
                                                "stablehlo.reshape",
                                                "stablehlo.broadcast_in_dim",
                                                "stablehlo.broadcast",
                                                "stablehlo.transpose",
                                                "stablehlo.slice",
                                                "stablehlo.dynamic_slice",
                                                "stablehlo.dynamic_update_slice",
                                                "stablehlo.concatenate",
                                                "stablehlo.reverse",
                                                "stablehlo.gather",
                                                "stablehlo.pad",
                                                "stablehlo.select",
                                                "stablehlo.tuple",
                                                "stablehlo.get_tuple_element",
                                                "stablehlo.optimization_barrier",
                                                "stablehlo.all_gather",
                                                "stablehlo.all_to_all",
                                                "stablehlo.collective_permute",
                                                "call",
                                                "func.call"};
  return moves.contains(name);
}

class Quantised {
 public:
  Quantised(Translator& module, ComputationWriter& writer, const Operation& operation)
      : module_(module), writer_(writer), operation_(operation), lines_(module, writer, operation) {}

  void run() {
    if (moves_integers(operation_.name)) return lines_.run();
    if (!operation_.regions.empty()) {
      lines_.fail("an operation with a region takes no quantised values",
                  "dequantise them before it (stablehlo.uniform_dequantize)");
    }
    Operation plain = operation_;
    std::vector<Value> given;
    for (std::size_t i = 0; i < operation_.operands.size(); ++i) {
      given.push_back(real(lines_.value(i)));
      if (i < plain.operand_types.size()) plain.operand_types[i] = given.back().type;
    }
    for (TypeId& type : plain.result_types) type = real_type(type);
    if (operation_.name == "stablehlo.uniform_quantize" || operation_.name == "stablehlo.uniform_dequantize") {
      if (given.size() != 1 || operation_.result_types.size() != 1) lines_.fail("it has one operand and one result");
      define({given[0]});
      return;
    }
    OperationWriter of_reals(module_, writer_, plain);
    of_reals.run_as(operation_.name, given);
    std::vector<Value> results;
    for (const Definition& made : operation_.results) {
      for (int i = 0; i < made.count; ++i) {
        const std::string use = made.count == 1 ? std::string(made.name) : fmt::format("{}#{}", made.name, i);
        results.push_back(*writer_.find(use));
      }
    }
    define(results);
  }

 private:
  const Type& type_of(TypeId id) { return module_.types()[id]; }

  TypeId real_type(TypeId id) {
    const Type type = type_of(id);
    if (!type.quantisation) return id;
    return module_.types().array(hlo_element(type.quantisation->expressed), type.dimensions);
  }

  /// Numbers along an axis of an array, or one for all of it.
  std::string spread(const Type& array, const Quantisation& of, const std::vector<std::string>& numbers) {
    if (of.axis < 0) return lines_.filled(array, numbers[0]);
    const std::string vector = fmt::format("{}[{}]", array.element, numbers.size());
    const std::string operand[] = {
        writer_.add_constant(vector, fmt::format("{{{}}}", fmt::join(numbers, ", ")), lines_.origin())};
    return lines_.add(array.hlo, "broadcast", operand, fmt::format(", dimensions={{{}}}", of.axis));
  }

  std::string zero_points(const Type& array, const Quantisation& of) {
    std::vector<std::string> numbers;
    for (const std::int64_t zero : of.zero_points) numbers.push_back(std::to_string(zero));
    return spread(array, of, numbers);
  }

  static bool is_centred(const Quantisation& of) {
    return std::ranges::all_of(of.zero_points, [](std::int64_t zero) { return zero == 0; });
  }

  /// (q - zero point) times scale.
  Value real(const Value& value) {
    const std::shared_ptr<const Quantisation> of = type_of(value.type).quantisation;
    if (!of) return value;
    const TypeId type = real_type(value.type);
    const Type array = type_of(type);
    std::string name = lines_.add(array, "convert", {value.name});
    if (!is_centred(*of)) name = lines_.add(array, "subtract", {name, zero_points(array, *of)});
    return {lines_.add(array, "multiply", {name, spread(array, *of, of->scales)}), type, nullptr};
  }

  /// The integer nearest to x / scale + zero point, of those in use; of two as near the even one.
  std::string integers(const Value& value, TypeId wanted) {
    const Type array = type_of(value.type), type = type_of(wanted);
    const Quantisation& of = *type.quantisation;
    std::string name = lines_.add(array, "divide", {value.name, spread(array, of, of.scales)});
    if (!is_centred(of)) name = lines_.add(array, "add", {name, zero_points(array, of)});
    name = lines_.add(array, "round-nearest-even", {name});
    const auto [least, most] = bounds(type);
    if (least < most) {
      name = lines_.add(array, "clamp",
                        {lines_.scalar(array.element, std::to_string(least)), name,
                         lines_.scalar(array.element, std::to_string(most))});
    }
    return lines_.add(type, "convert", {name});
  }

  /// The integers in use; equal numbers if conversions saturate at the storage's own.
  static std::pair<std::int64_t, std::int64_t> bounds(const Type& type) {
    const Quantisation& of = *type.quantisation;
    if (of.least) return {*of.least, *of.most};
    for (const hlo::ElementTypeRow& row : hlo::element_types()) {
      if (row.name != type.element || row.bits > 16) continue;
      if (type.element.starts_with('u')) return {0, (std::int64_t(1) << row.bits) - 1};
      return {-(std::int64_t(1) << (row.bits - 1)), (std::int64_t(1) << (row.bits - 1)) - 1};
    }
    return {0, 0};
  }

  /// The results of the operation, from real numbers.
  void define(const std::vector<Value>& reals) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < reals.size(); ++i) {
      const TypeId wanted = operation_.result_types.at(i);
      names.push_back(type_of(wanted).quantisation ? integers(reals[i], wanted) : reals[i].name);
    }
    lines_.define(names);
  }

  Translator& module_;
  ComputationWriter& writer_;
  const Operation& operation_;
  OperationWriter lines_;
};

}  // namespace

bool is_quantised(Translator& module, const ComputationWriter& writer, const Operation& operation) {
  const auto quantised = [&](TypeId type) { return module.types()[type].quantisation != nullptr; };
  return std::ranges::any_of(operation.result_types, quantised) ||
         std::ranges::any_of(operation.operands,
                             [&](std::string_view use) { return quantised(writer.find(use)->type); });
}

void write_quantised(Translator& module, ComputationWriter& writer, const Operation& operation) {
  Quantised(module, writer, operation).run();
}

}  // namespace podsim::hlo::stablehlo
