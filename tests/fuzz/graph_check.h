// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/text/shape_check.h"

namespace podsim::fuzz {

/// Ends the program unless a module becomes a graph whose text reads back as the same, or an error says why not.
inline void check_graph(const hlo::text::Module& module) {
  try {
    const hlo::Module graph = hlo::text::graph::to_graph(module);
    if (!hlo::text::check_shapes(module, graph).empty()) return;
    const std::string text = hlo::to_string(graph);
    const hlo::text::ReadResult again = hlo::text::read("graph", text);
    if (!again.ok() || hlo::to_string(hlo::text::graph::to_graph(again.modules[0])) != text) std::abort();
  } catch (const base::InputError&) {
  }
}

}  // namespace podsim::fuzz
