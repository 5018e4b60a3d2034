// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"

namespace podsim::hlo::text::testing {

/// The graph of a module given as text.
inline hlo::Module graph_of(const std::string& text) {
  text::ReadResult read = text::read("test.hlo", text);
  for (const base::Diagnostic& diagnostic : read.diagnostics) ADD_FAILURE() << base::format(diagnostic);
  return graph::to_graph(read.modules.at(0));
}

}  // namespace podsim::hlo::text::testing
