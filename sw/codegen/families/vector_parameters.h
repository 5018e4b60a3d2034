// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/codegen/families/kernel.h"

/// Parameters that several families share.
namespace podsim::sw::codegen::families {

KernelParameter size_parameter(std::string name, std::string description, std::int64_t preset);
KernelParameter choice_parameter(std::string name, std::string description, std::vector<std::string> choices);
/// "dtype": f32 or bf16.
KernelParameter dtype_parameter();

hlo::ElementType element_type(const std::string& dtype);
/// The shape [rows, columns], from the arguments of these names.
hlo::Shape matrix_shape(const KernelArguments& arguments, hlo::ElementType type);
/// Name of a kernel: the family and its parameters in order, "softmax rows=8 columns=128 dtype=f32"; without those that
/// have no value.
std::string kernel_name(const KernelFamily& family, const KernelArguments& arguments);

}  // namespace podsim::sw::codegen::families
