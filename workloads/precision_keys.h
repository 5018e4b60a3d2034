// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/element_type.h"
#include "workloads/model_options.h"

namespace podsim::workloads {

/// model.gradient_type: Precision::gradient, or TrainingOptions::gradient_type.
void add_gradient_type_key(ModelKeys& keys, hlo::ElementType& field);

}  // namespace podsim::workloads
