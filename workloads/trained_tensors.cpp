// SPDX-License-Identifier: Apache-2.0
#include "workloads/trained_tensors.h"

namespace podsim::workloads {

using sw::ir::InstructionId;
using sw::ir::build::GraphBuilder;

InstructionId TrainedTensors::add(std::string_view name, std::vector<std::int64_t> sizes, bool is_kernel) {
  const sw::ir::build::GraphBuilder::Scope scope(builder_, name);
  TrainedTensor tensor;
  tensor.name = builder_.scope();
  tensor.is_kernel = is_kernel;
  tensor.value = builder_.parameter(sw::ir::make_shape(precision_.parameter, std::move(sizes)), tensor.name);
  tensors_.push_back(tensor);
  return tensor.value;
}

InstructionId TrainedTensors::weight(std::string_view name, std::vector<std::int64_t> sizes) {
  const InstructionId value = add(name, std::move(sizes), true);
  const sw::ir::build::GraphBuilder::Scope scope(builder_, name);
  return builder_.convert(value, precision_.activation);
}

InstructionId TrainedTensors::table(std::string_view name, std::vector<std::int64_t> sizes) {
  return add(name, std::move(sizes), true);
}

InstructionId TrainedTensors::vector(std::string_view name, std::vector<std::int64_t> sizes) {
  return add(name, std::move(sizes), false);
}

}  // namespace podsim::workloads
