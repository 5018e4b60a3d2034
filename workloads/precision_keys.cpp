// SPDX-License-Identifier: Apache-2.0
#include "workloads/precision_keys.h"

namespace podsim::workloads {

void add_gradient_type_key(ModelKeys& keys, hlo::ElementType& field) {
  keys.add("model.gradient_type", field, {{"f32", hlo::ElementType::f32}, {"bf16", hlo::ElementType::bf16}},
           "type in which gradients of weights are summed over cores, where it is\nwider than that of products");
}

}  // namespace podsim::workloads
