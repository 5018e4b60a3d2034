// SPDX-License-Identifier: Apache-2.0
#include "hlo/hlo_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "tests/hlo/hlo_text.h"

namespace podsim::hlo {
namespace {

TEST(HloNames, AreThoseOfTheTextAndStayUnique) {
  Module module = testing::graph_of_entry(
      "a = f32[8] parameter(0)  b = f32[8] parameter(1)  c = f32[8] add(a, b)  ROOT r = (f32[8]) tuple(c)");
  Computation& entry = module.computations[std::size_t(module.entry)];
  entry[0].name = "layer0/w in";
  entry[1].name = "layer0.w.in";
  entry[2].name = "layer0/w/in";
  module.donations = {{0, 1, 0}};
  const text::ReadResult read = text::read("text", to_string(with_hlo_names(module)));
  ASSERT_TRUE(read.ok());
  const Module back = text::graph::to_graph(read.modules.back());
  std::set<std::string> names;
  for (const Instruction& instruction : back.entry_computation().instructions) names.insert(instruction.name);
  EXPECT_EQ(names.size(), 4U);
  EXPECT_TRUE(names.contains("layer0.w.in.1"));
  EXPECT_EQ(back.entry_computation()[0].op_name, "layer0/w in");
  EXPECT_EQ(back.entry_computation()[1].name, "layer0.w.in") << "a name that is none other's stays";
  EXPECT_EQ(back.donations, module.donations);
}

}  // namespace
}  // namespace podsim::hlo
