// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace podsim::sw {

/// Where in a network an op belongs, by its op_name.
struct OpScope {
  std::string phase;  ///< "forward", "gradients", "optimizer" or "rematerialised"
  std::string layer;  ///< the first names of the scope, "layer1"; empty where there are none
};

/// Takes "gradients/layer1/block0/conv1" apart. A phase is the first name that is one, else what JAX wraps names in
/// says: "jit(step)/transpose(jvp(Net))/layer_0/dot_general" is of the gradients of Net/layer_0. JAX's wrappers jit,
/// jvp, transpose and its names of control flow are no part of a layer, nor is what the op does ("dot_general") where
/// the wrappers say that the name is JAX's. The layer is the first `depth` names of what is left.
OpScope op_scope(std::string_view op_name, std::size_t depth = 1);

}  // namespace podsim::sw
