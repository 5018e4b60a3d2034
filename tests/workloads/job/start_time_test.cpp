// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/start_time.h"

#include <gtest/gtest.h>

namespace podsim::workloads::job {
namespace {

JobParameters round_parameters() {
  JobParameters parameters;
  parameters.connect = base::Duration(10);
  parameters.graph_op = base::Duration(0.01);
  parameters.compile_op = base::Duration(0.1);
  return parameters;
}

StartWork round_work(Clients clients) {
  StartWork work;
  work.clients = clients;
  work.hosts = 64;
  work.ops = 100;
  work.evaluation_ops = 50;
  work.to_device = base::Duration(2);
  work.input.emplace();
  work.input->stages = {{"a", base::Duration(0.25), 0, 1}, {"b", base::Duration(0.5), 0, 1}};
  return work;
}

TEST(StartTime, IsTheSumOfItsPhases) {
  const StartTime time = start_time(round_parameters(), round_work(Clients::per_host));
  EXPECT_DOUBLE_EQ(time.graph.si(), 1);
  EXPECT_DOUBLE_EQ(time.compile.si(), 15);
  EXPECT_DOUBLE_EQ(time.input.si(), 0.75);
  EXPECT_DOUBLE_EQ(time.all().si(), 10 + 1 + 15 + 2 + 0.75);
}

TEST(StartTime, OneClientBuildsTheGraphsOfAllHosts) {
  const StartTime one = start_time(round_parameters(), round_work(Clients::one));
  const StartTime all = start_time(round_parameters(), round_work(Clients::per_host));
  EXPECT_DOUBLE_EQ(one.all().si() - all.all().si(), 63 * 100 * 0.01);
}

}  // namespace
}  // namespace podsim::workloads::job
