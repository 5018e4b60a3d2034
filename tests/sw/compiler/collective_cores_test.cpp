// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/collective_cores.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::sw::compiler {
namespace {

hlo::Instruction all_reduce(hlo::Participants participants) {
  hlo::Instruction instruction;
  instruction.opcode = hlo::Opcode::all_reduce;
  instruction.name = "sum";
  instruction.participants = std::move(participants);
  return instruction;
}

hlo::Participants flat(hlo::IotaGroups groups) {
  hlo::Participants participants;
  participants.iota = std::move(groups);
  participants.channel_id = 1;
  participants.use_global_device_ids = true;
  return participants;
}

TEST(CollectiveCores, WritesIotaGroupsOut) {
  CollectiveCores cores(1, 8);
  EXPECT_EQ(cores.of(all_reduce(flat({4, 2, {2, 4}, {1, 0}}))),
            (CollectiveCores::Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(CollectiveCores, EqualGroupsAreTheSameWhateverTheirForm) {
  CollectiveCores cores(1, 4);
  const auto& strided = cores.of(all_reduce(flat({2, 2, {2, 2}, {1, 0}})));
  hlo::Participants list;
  list.groups = {{0, 2}, {1, 3}};
  list.channel_id = 7;
  EXPECT_EQ(&cores.of(all_reduce(list)), &strided);
  EXPECT_NE(&cores.of(all_reduce(flat({2, 2, {4}, {}}))), &strided);
  EXPECT_TRUE(cores.of(all_reduce({})).empty());
}

TEST(CollectiveCores, TheSameNumbersAreOthersAsReplicasAndAsPartitions) {
  CollectiveCores cores(2, 2);
  hlo::Participants pair;
  pair.groups = {{0, 1}};
  EXPECT_EQ(cores.of(all_reduce(pair)), (CollectiveCores::Groups{{0, 2}, {1, 3}}));
  pair.channel_id = 1;
  EXPECT_EQ(cores.of(all_reduce(pair)), (CollectiveCores::Groups{{0, 1}, {2, 3}}));
}

TEST(CollectiveCores, NamesTheInstructionWhoseGroupsAreBeyondTheDevices) {
  CollectiveCores cores(1, 4);
  try {
    cores.of(all_reduce(flat({1, 8, {8}, {}})));
    FAIL() << "8 devices of 4";
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).message, "%sum names device 4, but there are only 4");
  }
}

}  // namespace
}  // namespace podsim::sw::compiler
