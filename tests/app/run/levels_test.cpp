// SPDX-License-Identifier: Apache-2.0
// Levels of detail of `podsim run`, with transfers concurrent with an op, as the table in docs/architecture.md says.
#include <gtest/gtest.h>

#include "tests/app/commands.h"

namespace podsim::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// An all-reduce of 4 MiB concurrent with an op that moves 16 MiB, eight times in a loop, on 2x2.
constexpr const char* beside = R"(HloModule beside, is_scheduled=true, num_partitions=8

add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }

body {
  state = (s32[], f32[1048576], f32[2,1024,1024]) parameter(0)
  trip = s32[] get-tuple-element(state), index=0
  one = s32[] constant(1)
  next = s32[] add(trip, one)
  g = f32[1048576] get-tuple-element(state), index=1
  a = f32[2,1024,1024] get-tuple-element(state), index=2
  start = f32[1048576] all-reduce-start(g), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, use_global_device_ids=true, to_apply=add
  n = f32[2,1024,1024] negate(a)
  done = f32[1048576] all-reduce-done(start)
  ROOT both = (s32[], f32[1048576], f32[2,1024,1024]) tuple(next, done, n)
}

condition {
  state = (s32[], f32[1048576], f32[2,1024,1024]) parameter(0)
  trip = s32[] get-tuple-element(state), index=0
  trips = s32[] constant(8)
  ROOT less = pred[] compare(trip, trips), direction=LT
}

ENTRY main {
  zero = s32[] constant(0)
  g = f32[1048576] parameter(0)
  a = f32[2,1024,1024] parameter(1)
  state = (s32[], f32[1048576], f32[2,1024,1024]) tuple(zero, g, a)
  ROOT loop = (s32[], f32[1048576], f32[2,1024,1024]) while(state), condition=condition, body=body, backend_config={"known_trip_count":{"n":"8"}}
}
)";

Json step_at(const Folder& folder, const Words& more) {
  folder.write("beside.hlo", beside);
  Words words = {"run", "beside.hlo", "--slice", "2x2", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return json_of(folder, words);
}

TEST(Levels, AnOpBesideAnAllReduceTakesTheSameOnChipsOfUnitsAndOfReplay) {
  const Folder folder;
  const Json usual = step_at(folder, {"--fold", "off"});
  for (const Words& level : {Words{"--detail", "tile"}, Words{"--detail", "replay", "--fold", "off"},
                             Words{"--real", "chip(*,1)", "--fold", "off"}}) {
    const Json step = step_at(folder, level);
    EXPECT_EQ(step["step_time_s"], usual["step_time_s"]) << level[1];
    EXPECT_EQ(step["breakdown_s"], usual["breakdown_s"]) << level[1];
  }
}

// Trips of a loop are skipped once two took the same to 0.05 % on every core; chips of an open slice do not fold.
TEST(Levels, TripsThatRepeatThemselvesAreTakenToBeAsLong) {
  const Folder folder;
  const double simulated = step_at(folder, {"--fold", "off"})["step_time_s"];
  const double skipped = step_at(folder, {})["step_time_s"];
  EXPECT_NEAR(skipped, simulated, 0.0005 * simulated);
}

// Through granules, switch and banks the levels differ by the effects that the closed form leaves out.
TEST(Levels, TheStepThroughThePartsOfAChipIsCloseToThatOfTheLaw) {
  const Folder folder;
  const double law = step_at(folder, {"--fold", "off"})["step_time_s"];
  const double parts = step_at(folder, {"--detail", "chip"})["step_time_s"];
  EXPECT_NEAR(parts, law, 0.02 * law);
}

}  // namespace
}  // namespace podsim::test
