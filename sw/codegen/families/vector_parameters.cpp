// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/vector_parameters.h"

#include <utility>

namespace podsim::sw::codegen::families {

namespace {

/// Maximum of a dimension. The capacity of HBM is checked when arrays are allocated.
constexpr std::int64_t max_elements = std::int64_t(1) << 24;

}  // namespace

KernelParameter size_parameter(std::string name, std::string description, std::int64_t preset) {
  return {std::move(name), std::move(description), {}, 0, max_elements, std::to_string(preset)};
}

KernelParameter choice_parameter(std::string name, std::string description, std::vector<std::string> choices) {
  std::string preset = choices.front();
  return {std::move(name), std::move(description), std::move(choices), 0, 0, std::move(preset)};
}

KernelParameter dtype_parameter() { return choice_parameter("dtype", "element type of the arrays", {"f32", "bf16"}); }

hlo::ElementType element_type(const std::string& dtype) {
  return dtype == "bf16" ? hlo::ElementType::bf16 : hlo::ElementType::f32;
}

hlo::Shape matrix_shape(const KernelArguments& arguments, hlo::ElementType type) {
  return hlo::make_shape(type, {arguments.number("rows"), arguments.number("columns")});
}

std::string kernel_name(const KernelFamily& family, const KernelArguments& arguments) {
  std::string name = family.name;
  for (const KernelParameter& parameter : family.parameters) {
    const auto value = arguments.values.find(parameter.name);
    if (value != arguments.values.end()) name += " " + parameter.name + "=" + value->second;
  }
  return name;
}

}  // namespace podsim::sw::codegen::families
