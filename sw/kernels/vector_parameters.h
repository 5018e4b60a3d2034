// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/kernels/kernel.h"

/// Parameters that several families share.
namespace podsim::sw {

KernelParameter size_parameter(std::string name, std::string description, std::int64_t preset);
KernelParameter choice_parameter(std::string name, std::string description, std::vector<std::string> choices);
/// "dtype": f32 or bf16.
KernelParameter dtype_parameter();

ElementType element_type(const std::string& dtype);
/// {arguments "rows", arguments "columns"}
Shape matrix_shape(const KernelArguments& arguments, ElementType type);
/// "softmax rows=8 columns=128 dtype=f32": the family and its parameters in their order.
std::string kernel_name(const KernelFamily& family, const KernelArguments& arguments);

}  // namespace podsim::sw
