// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/schedule_file.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "hlo/pipeline/schedules.h"

namespace podsim::hlo::pipeline {
namespace {

TEST(ScheduleFile, ASchedulesTextReadsBackAsTheSame) {
  for (const Schedule& schedule : {gpipe(3, 5), one_f_one_b(4, 6), interleaved(4, 8, 3), zero_bubble(4, 7)}) {
    EXPECT_EQ(read_schedule("s.toml", schedule_text(schedule)), schedule);
  }
}

struct Wrong {
  std::string text, message;
  int line, column;
};

/// Checks the message and location of the first diagnostic.
void expect_refused(const Wrong& wrong) {
  SCOPED_TRACE(wrong.text);
  try {
    read_schedule("s.toml", wrong.text);
    ADD_FAILURE() << "accepted";
  } catch (const base::InputError& error) {
    const base::Diagnostic& diagnostic = error.diagnostics().front();
    EXPECT_NE(diagnostic.message.find(wrong.message), std::string::npos) << diagnostic.message;
    EXPECT_EQ(diagnostic.location.line, wrong.line);
    EXPECT_EQ(diagnostic.location.column, wrong.column);
  }
}

TEST(ScheduleFile, ErrorsAreAtTheTask) {
  expect_refused({"stages = [\"F0 X0\"]", "'X0' is no task", 1, 15});
  expect_refused({"stages = [\"F0 B\"]", "'B' is no task", 1, 15});
  expect_refused({"stages = [\"F0 B-1\"]", "'B-1' is no task", 1, 15});
  expect_refused({"stages = [\"F0 B4096\"]", "'B4096' is no task", 1, 15});
  expect_refused({"stages = [\"F0 B0\", 3]", "the tasks of a stage are a text", 1, 20});
  expect_refused({"stagse = []", "'stagse' is no key", 1, 1});
  expect_refused({"stages = \"F0 B0\"", "stages is a list", 1, 10});
  expect_refused({"", "no stages", 0, 0});
}

TEST(ScheduleFile, FaultsAreAtTheTaskThatShowsThem) {
  expect_refused({"stages = [\n  \"F0 B0 F0\"]", "by chunk 0 would be computed twice", 2, 10});
  expect_refused({"stages = [\"F0 B0\", \"F0 B0 F1.0 B1.0\"]", "chunk 0 is computed on stage 0 already", 1, 27});
  expect_refused(
      {"stages = [\"F0 I0\"]", "the gradients of the weights of micro-batch 0 by chunk 0 is missing", 1, 15});
  expect_refused(
      {"stages = [\"B0 F0\"]", "B0 waits forever for the forward computation of micro-batch 0 by chunk 0", 1, 12});
  // Both stages wait for each other: stage 0 for the gradient of micro-batch 0, stage 1 for its output of 1.
  expect_refused({"stages = [\n \"F0 B0 F1 B1\",\n \"F1 B1 F0 B0\"]",
                  "B0 waits forever for the gradients of the inputs of micro-batch 0 by chunk 1", 2, 6});
}

}  // namespace
}  // namespace podsim::hlo::pipeline
