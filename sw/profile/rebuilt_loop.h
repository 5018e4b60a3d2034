// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/profile/rebuilt_matmul.h"

namespace podsim::sw {

/// A fusion of element-wise operations and reductions.
Module rebuild_loop_fusion(const FusionFacts& facts);

/// A fusion around a gather of rows or a scatter of rows into a table; nothing when its shapes are those of neither.
std::optional<Module> rebuild_row_fusion(const FusionFacts& facts);

}  // namespace podsim::sw
