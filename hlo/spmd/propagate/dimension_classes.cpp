// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/dimension_classes.h"

#include "hlo/spmd/propagate/class_search.h"

namespace podsim::hlo::spmd::propagate {

std::vector<DimensionClass> dimension_classes(const hlo::Module& module) { return ClassSearch(module).classes(); }

}  // namespace podsim::hlo::spmd::propagate
