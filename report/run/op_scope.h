// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace podsim::report::run {

/// The part of a network that an op belongs to, by its op_name.
struct OpScope {
  std::string phase;  ///< "forward", "gradients", "optimizer" or "rematerialised"
  std::string layer;  ///< the first names of the scope, "layer1"; empty if there are none
};

/// Parses an op_name such as "gradients/layer1/block0/conv1". The training phase is the first name if that is one.
/// Otherwise JAX's wrappers determine it: "jit(step)/transpose(jvp(Net))/layer_0/dot_general" is in the gradients of
/// Net/layer_0. The wrappers jit, jvp and transpose and JAX's names of control flow are not part of a layer; neither is
/// the operation ("dot_general") at the end of a name with such wrappers. The layer is the first `depth` of the
/// remaining names.
OpScope op_scope(std::string_view op_name, std::size_t depth = 1);

}  // namespace podsim::report::run
