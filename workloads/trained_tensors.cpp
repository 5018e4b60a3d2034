// SPDX-License-Identifier: Apache-2.0
#include "workloads/trained_tensors.h"

#include <algorithm>

namespace podsim::workloads {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

InstructionId TrainedTensors::add(std::string_view name, std::vector<std::int64_t> sizes, bool is_kernel) {
  const hlo::build::GraphBuilder::Scope scope(builder_, name);
  TrainedTensor tensor;
  tensor.name = builder_.scope();
  if (!part_.empty() && tensor.name.starts_with(part_)) {
    return std::ranges::find(tensors_, tensor.name.substr(part_.size()), &TrainedTensor::name)->value;
  }
  tensor.is_kernel = is_kernel;
  tensor.value = builder_.parameter(hlo::make_shape(precision_.parameter, std::move(sizes)), tensor.name);
  tensors_.push_back(tensor);
  return tensor.value;
}

InstructionId TrainedTensors::weight(std::string_view name, std::vector<std::int64_t> sizes) {
  const InstructionId value = add(name, std::move(sizes), true);
  const hlo::build::GraphBuilder::Scope scope(builder_, name);
  return builder_.convert(value, precision_.activation);
}

InstructionId TrainedTensors::table(std::string_view name, std::vector<std::int64_t> sizes) {
  return add(name, std::move(sizes), true);
}

InstructionId TrainedTensors::vector(std::string_view name, std::vector<std::int64_t> sizes) {
  return add(name, std::move(sizes), false);
}

}  // namespace podsim::workloads
