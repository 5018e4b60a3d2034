// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

#include "sw/hlo/graph/to_graph.h"
#include "sw/hlo/reader.h"
#include "sw/hlo/shape_check.h"

namespace podsim::fuzz {

/// Ends the program unless a module becomes a graph whose text reads back as the same, or an error says why not.
inline void check_graph(const sw::hlo::Module& module) {
  try {
    const sw::ir::Module graph = sw::hlo::graph::to_graph(module);
    if (!sw::hlo::check_shapes(module, graph).empty()) return;
    const std::string text = sw::ir::to_string(graph);
    const sw::hlo::ReadResult again = sw::hlo::read("graph", text);
    if (!again.ok() || sw::ir::to_string(sw::hlo::graph::to_graph(again.modules[0])) != text) std::abort();
  } catch (const base::InputError&) {
  }
}

}  // namespace podsim::fuzz
