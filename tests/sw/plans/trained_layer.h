// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "tests/hlo/text/graph_of.h"

namespace podsim::sw::plans {

/// A layer of 1024 x 2048 with the gradient and the update of its weight, without any other layer.
inline hlo::Module trained_layer(std::int64_t batch) {
  hlo::Module module = hlo::text::testing::graph_of(fmt::format(R"(
HloModule m
ENTRY e {{
  x = bf16[{0},1024] parameter(0)
  w = f32[1024,2048] parameter(1)
  v = bf16[1024,2048] convert(w)
  y = bf16[{0},2048] dot(x, v), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  g = bf16[1024,2048] dot(x, y), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}
  wide = f32[1024,2048] convert(g)
  next = f32[1024,2048] subtract(w, wide)
  ROOT r = (f32[1024,2048]) tuple(next)
}})",
                                                                batch));
  module.donations = {{.output = 0, .parameter = 1, .element = 0}};
  return module;
}

}  // namespace podsim::sw::plans
