// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "hlo/eval/evaluator.h"
#include "hlo/text/graph/graph_literal.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/text/shape_check.h"

/// Graphs written as HLO text.
namespace podsim::hlo::testing {

inline text::Module read_module(const std::string& text) {
  text::ReadResult result = text::read("test", text);
  for (const base::Diagnostic& diagnostic : result.diagnostics) ADD_FAILURE() << base::format(diagnostic);
  if (result.modules.size() != 1) throw std::logic_error("the text is no module");
  return std::move(result.modules[0]);
}

/// The graph of a text. Fails the test unless its shapes hold.
inline Module graph_of(const std::string& text) {
  const text::Module module = read_module(text);
  Module graph = text::graph::to_graph(module);
  for (const base::Diagnostic& diagnostic : text::check_shapes(module, graph))
    ADD_FAILURE() << base::format(diagnostic);
  return graph;
}

/// A graph with these lines as its entry.
inline Module graph_of_entry(const std::string& lines, const std::string& computations = "") {
  return graph_of("HloModule test\n" + computations + "\nENTRY main {\n" + lines + "\n}\n");
}

inline Literal literal_of(const Shape& shape, const std::string& text) {
  return text::graph::read_graph_literal(text, shape).value();
}

/// Combiners and comparators by name.
inline const std::string scalar_functions = R"(
add_f32 { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }
max_f32 { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] maximum(x, y) }
second_f32 { x = f32[] parameter(0)  ROOT y = f32[] parameter(1) }
add_s32 { x = s32[] parameter(0)  y = s32[] parameter(1)  ROOT r = s32[] add(x, y) }
add_s64 { x = s64[] parameter(0)  y = s64[] parameter(1)  ROOT r = s64[] add(x, y) }
less_f32 { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = pred[] compare(x, y), direction=LT }
)";

}  // namespace podsim::hlo::testing
