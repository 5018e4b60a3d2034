// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/diagnostic.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"

namespace podsim::workloads {
namespace {

/// The workload out of a text of two parameters with `attributes` in its header.
std::optional<Workload> read(const std::string& attributes) {
  const std::string text = "HloModule m, frontend_attributes={" + attributes +
                           "}\n\nENTRY main {\n  x = f32[8] parameter(0)\n  w = f32[8] parameter(1)\n"
                           "  ROOT y = f32[8] multiply(x, w)\n}\n";
  const hlo::text::ReadResult result = hlo::text::read("m.hlo", text);
  EXPECT_TRUE(result.ok());
  return workload_of_text(result.modules.front(), hlo::text::graph::to_graph(result.modules.front()));
}

TEST(WorkloadText, AnyOtherTextIsNone) {
  EXPECT_FALSE(read("a=\"b\""));
  EXPECT_FALSE(read("podsim.global=\"1\""));
}

TEST(WorkloadText, TellsWhatItsHeaderSays) {
  const std::optional<Workload> workload = read(
      "podsim.samples=\"64\",a=\"b\",podsim.predictions=\"y\",podsim.frozen=\"1\",podsim.model_flops=\"2.5e9\","
      "podsim.sharding=\"[sharding]\\n\\\"x\\\" = [\\\"d\\\"]\\n\"");
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->samples, 64);
  EXPECT_FALSE(workload->global);
  EXPECT_EQ(workload->model_flops, 2.5e9);
  EXPECT_EQ(workload->sharding, "[sharding]\n\"x\" = [\"d\"]\n");
  EXPECT_EQ(workload->step.predictions, std::vector<hlo::InstructionId>{2});
  EXPECT_EQ(workload->step.frozen, std::vector<std::int64_t>{1});
}

TEST(WorkloadText, ADamagedAttributeIsAnErrorAtItsPlace) {
  for (const char* damaged :
       {"podsim.samples=\"x\"", "podsim.samples=\"-1\"", "podsim.samples=\"1\",podsim.frozen=\"2\"",
        "podsim.samples=\"1\",podsim.predictions=\"z\"", "podsim.samples=\"1\",podsim.model_flops=\"nan\""}) {
    try {
      read(damaged);
      ADD_FAILURE() << damaged;
    } catch (const base::InputError& error) {
      const base::SourceLocation& at = error.diagnostics().front().location;
      EXPECT_EQ(at.file, "m.hlo");
      EXPECT_EQ(at.line, 1);
      const std::string before = std::string("HloModule m, frontend_attributes={") + damaged;
      EXPECT_EQ(at.column, int(before.rfind('=')) + 2) << damaged;
    }
  }
}

}  // namespace
}  // namespace podsim::workloads
