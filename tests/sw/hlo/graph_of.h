// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sw/hlo/graph/to_graph.h"
#include "sw/hlo/reader.h"

namespace podsim::sw::testing {

/// The graph of a module given as text.
inline ir::Module graph_of(const std::string& text) {
  hlo::ReadResult read = hlo::read("test.hlo", text);
  for (const base::Diagnostic& diagnostic : read.diagnostics) ADD_FAILURE() << base::format(diagnostic);
  return hlo::graph::to_graph(read.modules.at(0));
}

}  // namespace podsim::sw::testing
