// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::transform {

/// The module with every call replaced by the body that it calls, also in bodies of loops and branches, as XLA's call
/// inliner leaves it to later passes: frameworks print a function of their own library as a call, and what is before
/// and after one could not be fused with it. A value of a body has the call's op_name before its own, and a name with a
/// number after it where its own is taken. Asynchronous calls stay.
Module inline_calls(Module module);

}  // namespace podsim::hlo::transform
