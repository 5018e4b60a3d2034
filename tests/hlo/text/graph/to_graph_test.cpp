// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/to_graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "hlo/device_groups.h"
#include "hlo/literal.h"
#include "tests/hlo/hlo_text.h"

namespace podsim::hlo::text::graph {
namespace {

using hlo::testing::graph_of;
using hlo::testing::graph_of_entry;
using hlo::testing::read_module;

const hlo::Instruction& find(const hlo::Module& module, std::string_view name) {
  for (const hlo::Computation& computation : module.computations) {
    const auto found = std::ranges::find(computation.instructions, name, &hlo::Instruction::name);
    if (found != computation.instructions.end()) return *found;
  }
  throw std::out_of_range(std::string(name));
}

// A mesh of 2 x 4: device i is at (i / 4, i % 4).
TEST(ToGraph, TakesShardingsOfShardyBeforeOthers) {
  const auto text = [](const std::string& of_p, const std::string& of_t) {
    return R"(HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=4]>}}
ENTRY main {
  p = f32[8,16] parameter(0))" +
           of_p + R"(
  q = f32[8] parameter(1), sharding={replicated}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}]>"}
  ROOT t = (f32[8,16], f32[8]) tuple(p, q))" +
           of_t + "\n}\n";
  };
  const hlo::Module shardy =
      graph_of(text(R"(, frontend_attributes={a="b", xla.sdy.sharding="#sdy.sharding<@mesh, [{\"y\"}, {\"x\"}]>"})",
                    R"(, frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>, )"
                    R"(<@mesh, [{}]>]>"})"));
  const hlo::Module hlo = graph_of(text(", sharding={devices=[4,2]<=[2,4]T(1,0)}",
                                        ", sharding={{devices=[2,1,4]<=[8] last_tile_dim_replicate}, {replicated}}"));
  EXPECT_EQ(hlo::to_string(shardy), hlo::to_string(hlo));
  // XLA's import of a round trip overrides the sharding attribute.
  EXPECT_EQ(hlo::to_string(*find(shardy, "q").sharding), "{devices=[2,4]<=[8] last_tile_dim_replicate}");
  EXPECT_THROW(graph_of(text(R"(, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"z\"}, {}]>"})", "")),
               base::InputError);
}

TEST(ToGraph, KeepsLayoutTilesAndMemorySpace) {
  const hlo::Module module = hlo::testing::graph_of_entry(R"(
    p = bf16[3,200]{0,1:T(8,128)(2,1)S(1)} parameter(0)
    q = f32[<=7,5]{1,0:T(*,128)} parameter(1)
    ROOT t = (bf16[3,200]{0,1}, f32[<=7,5]) tuple(p, q))");
  const hlo::Shape& p = find(module, "p").shape;
  EXPECT_EQ(p.minor_to_major, (std::vector<int>{0, 1}));
  EXPECT_EQ(p.tile, (std::vector<std::int64_t>{8, 128}));
  EXPECT_EQ(p.memory_space, 1);
  const hlo::Shape& q = find(module, "q").shape;
  EXPECT_EQ(q.dimensions, (std::vector<std::int64_t>{7, 5}));
  EXPECT_TRUE(q.tile.empty());
}

TEST(ToGraph, PutsCalledComputationsBeforeTheirCallersWhateverTheText) {
  const hlo::Module module = hlo::testing::graph_of(R"(HloModule m
ENTRY main { p = f32[] parameter(0)  ROOT c = f32[] call(p), to_apply=outer }
outer { p = f32[] parameter(0)  ROOT c = f32[] call(p), to_apply=inner }
inner { p = f32[] parameter(0)  ROOT n = f32[] negate(p) }
)");
  ASSERT_EQ(module.computations.size(), 3U);
  EXPECT_EQ(module.computations[0].name, "inner");
  EXPECT_EQ(module.computations[1].name, "outer");
  EXPECT_EQ(module.entry_computation().name, "main");
  EXPECT_EQ(module.computations[1][1].called, std::vector<hlo::ComputationId>{0});
}

TEST(ToGraph, ReadsConstantsOfEveryForm) {
  const hlo::Module module = hlo::testing::graph_of_entry(R"(
    a = f32[2,2] constant({ {1, -inf}, {nan, 1e-3} })
    b = u64[2] constant({18446744073709551615, 7})
    c = s64[] constant(-9223372036854775808)
    d = pred[2] constant({true, 0})
    e = bf16[3] constant({...})
    f = (s32[], f32[1]) constant((3, {0.5}))
    g = c64[2] constant({(1, 2), (3, -4)})
    h = f32[2] constant({1e99, 1e-99})
    ROOT t = () tuple())");
  const auto values = [&](std::string_view name) { return find(module, name).literal->values; };
  EXPECT_EQ(values("a")[1], -INFINITY);
  EXPECT_TRUE(std::isnan(values("a")[2]));
  EXPECT_EQ(values("a")[3], double(1e-3F));
  EXPECT_EQ(find(module, "b").literal->integers, (std::vector<std::int64_t>{-1, 7}));
  EXPECT_EQ(find(module, "c").literal->integers, (std::vector<std::int64_t>{INT64_MIN}));
  EXPECT_EQ(values("d"), (std::vector<double>{1, 0}));
  EXPECT_EQ(find(module, "e").literal, nullptr);
  EXPECT_EQ(find(module, "f").literal->elements[1].values, std::vector<double>{0.5});
  EXPECT_EQ(values("g"), (std::vector<double>{1, 2, 3, -4}));
  EXPECT_EQ(values("h"), (std::vector<double>{INFINITY, 0}));
}

/// Expects the start and the done of a pair in the form of the graph.
void expect_pair(const hlo::Module& module, hlo::Opcode opcode, const std::string& result) {
  const hlo::Instruction &start = find(module, "s"), &done = find(module, "d");
  EXPECT_EQ(start.opcode, opcode);
  EXPECT_EQ(start.phase, hlo::AsyncPhase::start);
  EXPECT_EQ(hlo::to_string(start.shape), result);
  EXPECT_EQ(done.opcode, opcode);
  EXPECT_EQ(done.phase, hlo::AsyncPhase::done);
  ASSERT_EQ(done.operands.size(), 1U);
  EXPECT_EQ(module.entry_computation()[done.operands[0]].name, "s");
}

TEST(ToGraph, WritesAsynchronousPairsInOneForm) {
  const std::string add = "add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }\n";
  const std::string p = "p = f32[8] parameter(0)\n";
  expect_pair(hlo::testing::graph_of_entry(p + R"(s = f32[8] all-reduce-start(p), to_apply=add
    ROOT d = f32[8] all-reduce-done(s))",
                                           add),
              hlo::Opcode::all_reduce, "f32[8]");
  expect_pair(hlo::testing::graph_of_entry(p + R"(s = (f32[8], f32[32]) all-gather-start(p), dimensions={0}
    ROOT d = f32[32] all-gather-done(s))"),
              hlo::Opcode::all_gather, "f32[32]");
  expect_pair(hlo::testing::graph_of_entry(
                  p + R"(s = (f32[8], f32[8], u32[], u32[]) collective-permute-start(p), source_target_pairs={{0,1}}
    ROOT d = f32[8] collective-permute-done(s))"),
              hlo::Opcode::collective_permute, "f32[8]");
  expect_pair(hlo::testing::graph_of_entry(p + R"(s = (f32[8]{0:S(1)}, f32[8], u32[]) copy-start(p)
    ROOT d = f32[8]{0:S(1)} copy-done(s))"),
              hlo::Opcode::copy, "f32[8]{0:S(1)}");
  expect_pair(hlo::testing::graph_of_entry(p + R"(s = ((f32[8]), f32[2], s32[]) slice-start(p), slice={[2:4]}
    u = ((f32[8]), f32[2], s32[]) slice-update(s)
    ROOT d = f32[2] slice-done(u))"),
              hlo::Opcode::slice, "f32[2]");
  expect_pair(hlo::testing::graph_of_entry(p + R"(s = ((f32[8]), f32[8], s32[]) fusion-start(p), kind=kLoop, calls=body
    ROOT d = f32[8] fusion-done(s))",
                                           "body { x = f32[8] parameter(0)  ROOT r = f32[8] negate(x) }\n"),
              hlo::Opcode::fusion, "f32[8]");
}

TEST(ToGraph, TakesTheOpOutOfAComputationThatIsStartedForItAlone) {
  const hlo::Module module = hlo::testing::graph_of_entry(R"(
    p = f32[8] parameter(0)
    z = f32[] constant(0)
    s = ((f32[], f32[8]), f32[10], u32[]) async-start(z, p), calls=wrapped
    ROOT d = f32[10] async-done(s), calls=wrapped)",
                                                          R"(
wrapped { v = f32[] parameter(0)  x = f32[8] parameter(1)  ROOT r = f32[10] pad(x, v), padding=1_1 }
)");
  expect_pair(module, hlo::Opcode::pad, "f32[10]");
  EXPECT_EQ(find(module, "s").operands, (std::vector<hlo::InstructionId>{0, 1}));
  EXPECT_EQ(find(module, "s").padding, (std::vector<hlo::PadDimension>{{1, 1, 0}}));

  const hlo::Module call = hlo::testing::graph_of_entry(R"(
    p = f32[8] parameter(0)
    s = ((f32[8]), f32[8], u32[]) async-start(p), calls=wrapped
    ROOT d = f32[8] async-done(s))",
                                                        R"(
wrapped { x = f32[8] parameter(0)  y = f32[8] negate(x)  ROOT r = f32[8] exponential(y) }
)");
  expect_pair(call, hlo::Opcode::call, "f32[8]");
}

TEST(ToGraph, LetsAStartStandWhereItsLastOperandComes) {
  const hlo::Module module = hlo::testing::graph_of_entry(R"(
    p = f32[] parameter(0)
    s = ((f32[]), (), s32[]) call-start(p), to_apply=sum
    q = f32[] negate(p)
    u = ((f32[], f32[]), (), s32[]) call-update(s, q)
    ROOT d = f32[] call-done(u))",
                                                          R"(
sum { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }
)");
  expect_pair(module, hlo::Opcode::call, "f32[]");
  EXPECT_EQ(find(module, "s").operands, (std::vector<hlo::InstructionId>{0, 1}));
}

TEST(ToGraph, NamesConditionSelectAndTrueBranchFirst) {
  const hlo::Module module = hlo::testing::graph_of(R"(HloModule m
no { p = s32[] parameter(0)  ROOT r = s32[] negate(p) }
yes { p = s32[] parameter(0)  ROOT r = s32[] add(p, p) }
body { p = s32[] parameter(0)  ROOT r = s32[] add(p, p) }
cond { p = s32[] parameter(0)  c = s32[] constant(100)  ROOT r = pred[] compare(p, c), direction=LT }
ENTRY main {
  p = s32[] parameter(0)
  w = s32[] while(p), body=body, condition=cond
  t = pred[] constant(true)
  ROOT i = s32[] conditional(t, w, w), false_computation=no, true_computation=yes
}
)");
  const auto name = [&](const hlo::Instruction& instruction, int i) {
    return module.computations[std::size_t(instruction.called[std::size_t(i)])].name;
  };
  EXPECT_EQ(name(find(module, "w"), 0), "cond");
  EXPECT_EQ(name(find(module, "i"), 0), "yes");
}

std::string loop(const std::string& init, const std::string& step, const std::string& compare) {
  return R"(HloModule m
cond { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(10)  ROOT r = pred[] compare()" +
         compare + R"( }
body { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0  x = f32[4] get-tuple-element(s), index=1
  k = s32[] constant(3)  j = s32[] )" +
         step + R"(  ROOT t = (s32[], f32[4]) tuple(j, x) }
ENTRY main { x = f32[4] parameter(0)  z = s32[] )" +
         init + R"(  c = s32[] copy(z)  t = (s32[], f32[4]) tuple(c, x)
  ROOT w = (s32[], f32[4]) while(t), condition=cond, body=body }
)";
}

std::int64_t trip_count(const std::string& text) { return find(hlo::testing::graph_of(text), "w").trip_count; }

TEST(ToGraph, CountsTripsThatCanBeSeen) {
  EXPECT_EQ(trip_count(loop("constant(0)", "add(i, k)", "i, n), direction=LT")), 4);        // 0 3 6 9
  EXPECT_EQ(trip_count(loop("constant(0)", "add(k, i)", "n, i), direction=GE")), 4);        // 10 >= i
  EXPECT_EQ(trip_count(loop("constant(1)", "add(i, k)", "i, n), direction=LE")), 4);        // 1 4 7 10
  EXPECT_EQ(trip_count(loop("constant(1)", "add(i, k)", "i, n), direction=NE")), 3);        // 1 4 7
  EXPECT_EQ(trip_count(loop("constant(0)", "add(i, k)", "i, n), direction=NE")), -1);       // steps over 10
  EXPECT_EQ(trip_count(loop("constant(20)", "subtract(i, k)", "i, n), direction=GT")), 4);  // 20 17 14 11
  EXPECT_EQ(trip_count(loop("constant(12)", "add(i, k)", "i, n), direction=LT")), 0);
  EXPECT_EQ(trip_count(loop("constant(0)", "subtract(i, k)", "i, n), direction=LT")), -1);
  EXPECT_EQ(trip_count(loop("custom-call(), custom_call_target=\"unknown\"", "add(i, k)", "i, n), direction=LT")), -1);
}

TEST(ToGraph, LeavesOutComputationsThatALoopDoesNotCall) {
  std::string text = loop("constant(0)", "add(i, k)", "i, n), direction=LT");
  const std::string called = "condition=";
  text.insert(text.find(called), "to_apply=add, ");
  const std::string other = "add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }\n";
  text.insert(text.find('\n') + 1, other);
  EXPECT_EQ(trip_count(text), 4);
}

TEST(ToGraph, SeesTripCountsThroughFusionsAndConstantsThatGoRound) {
  EXPECT_EQ(trip_count(R"(HloModule m
less { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
next { a = s32[] parameter(0)  one = s32[] constant(1)  ROOT r = s32[] add(a, one) }
cond { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] get-tuple-element(s), index=1
  ROOT r = pred[] fusion(i, n), kind=kLoop, calls=less }
body { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] get-tuple-element(s), index=1
  j = s32[] fusion(i), kind=kLoop, calls=next  ROOT t = (s32[], s32[]) tuple(j, n) }
ENTRY main { a = s32[] constant(5)  b = s32[] constant(105)  t = (s32[], s32[]) tuple(a, b)
  ROOT w = (s32[], s32[]) while(t), condition=cond, body=body }
)"),
            100);
}

TEST(ToGraph, PrefersTheTripCountThatTheCompilerStates) {
  for (const char* config :
       {R"({"known_trip_count":{"n":"64"},"x":{}})", R"("{\"known_trip_count\":{\"n\":\"64\"}}")"}) {
    std::string text = loop("custom-call(), custom_call_target=\"unknown\"", "add(i, k)", "i, n), direction=LT");
    text.replace(text.find("condition=cond"), 0, std::string("backend_config=") + config + ", ");
    EXPECT_EQ(trip_count(text), 64) << config;
  }
}

TEST(ToGraph, CountsDevicesByTheGroupsWhereTheHeaderDoesNot) {
  const auto devices = [](const std::string& header, const std::string& attributes) {
    const hlo::Module module = hlo::testing::graph_of("HloModule m" + header + R"(
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }
ENTRY main { p = f32[8] parameter(0)  ROOT r = f32[8] all-reduce(p), to_apply=add)" +
                                                      attributes + " }\n");
    return std::pair(module.replicas, module.partitions);
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(devices("", ", replica_groups={{0,1},{2,3}}"), (Pair{4, 1}));
  EXPECT_EQ(devices("", ", channel_id=1, replica_groups=[2,4]<=[8], use_global_device_ids=true"), (Pair{1, 8}));
  EXPECT_EQ(devices(", replica_count=2", ", channel_id=1, replica_groups=[2,4]<=[8], use_global_device_ids=true"),
            (Pair{2, 4}));
  EXPECT_EQ(devices(", num_partitions=4", ", channel_id=1, replica_groups={{0}}"), (Pair{1, 4}));
  EXPECT_EQ(devices(", num_partitions=1", ", replica_groups={{0,1},{2,3}}"), (Pair{4, 1}));  // more than are stated
  EXPECT_EQ(devices("", ", channel_id=1, replica_groups=mesh['x'=2,'y'=3] {'y'}, use_global_device_ids=true"),
            (Pair{1, 6}));
}

TEST(ToGraph, GivesGroupsOfReplicasWithAllPartitionsFlatIds) {
  const hlo::Module module = hlo::testing::graph_of(R"(HloModule m, replica_count=4, num_partitions=2
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }
ENTRY main { p = f32[8] parameter(0)
  ROOT all = f32[8] all-reduce(p), channel_id=3, replica_groups={{0,2},{1,3}}, to_apply=add }
)");
  const hlo::Participants& participants = find(module, "all").participants;
  EXPECT_TRUE(participants.use_global_device_ids);
  EXPECT_EQ(participants.channel_id, 3);
  EXPECT_EQ(participants.groups, (std::vector<std::vector<std::int64_t>>{{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(ToGraph, KeepsGroupsInIotaForm) {
  const auto participants = [](const std::string& attributes) {
    const hlo::Module module = hlo::testing::graph_of(R"(HloModule m, replica_count=4, num_partitions=2
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }
ENTRY main { p = f32[8] parameter(0)
  ROOT all = f32[8] all-reduce(p), channel_id=3, to_apply=add, replica_groups=)" +
                                                      attributes + " }\n");
    return *find(module, "all").participants;
  };
  const hlo::Participants flat = participants("[4,2]<=[2,4]T(1,0), use_global_device_ids=true");
  EXPECT_TRUE(flat.groups.empty());
  EXPECT_EQ(flat.iota, (hlo::IotaGroups{4, 2, {2, 4}, {1, 0}}));
  // {{0,2},{1,3}} of replicas, each with both of its partitions.
  const hlo::Participants of_replicas = participants("[2,2]<=[2,2]T(1,0)");
  EXPECT_TRUE(of_replicas.use_global_device_ids);
  EXPECT_EQ(of_replicas.iota, (hlo::IotaGroups{2, 4, {2, 2, 2}, {1, 0, 2}}));
  EXPECT_EQ(hlo::expand(*of_replicas.iota), (std::vector<std::vector<std::int64_t>>{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(participants("[2,2]<=[4]").iota, (hlo::IotaGroups{2, 4, {4, 2}, {}}));
}

TEST(ToGraph, KeepsShardingsAndCountsTheirPartitions) {
  const hlo::Module module = hlo::testing::graph_of(R"(HloModule m
ENTRY main {
  p = (f32[8,8], s32[]) parameter(0), sharding={{devices=[2,1,3]<=[3,2]T(1,0) last_tile_dim_replicate}, {replicated}}
  e = f32[8,8] get-tuple-element(p), index=0
  c = f32[8,8] custom-call(e), custom_call_target="Sharding", sharding={devices=[2,3]<=[6]}
  n = f32[8,8] negate(c)
  ROOT r = f32[8,8] copy(n), sharding={devices=[2,3]<=[6]} }
)");
  EXPECT_EQ(module.partitions, 6);
  EXPECT_EQ(hlo::to_string(*find(module, "p").sharding),
            "{{devices=[2,1,3]<=[3,2]T(1,0) last_tile_dim_replicate}, {replicated}}");
  EXPECT_EQ(hlo::to_string(*find(module, "c").sharding), "{devices=[2,3]<=[6]}");
  EXPECT_EQ(find(module, "c").sharding, find(module, "r").sharding) << "equal texts share one";
  EXPECT_EQ(find(module, "n").sharding, nullptr);
  const hlo::Module again = hlo::testing::graph_of(hlo::to_string(module));
  EXPECT_EQ(again.partitions, 6);
  EXPECT_EQ(hlo::to_string(again), hlo::to_string(module));
  EXPECT_EQ(*find(again, "p").sharding, *find(module, "p").sharding);
}

TEST(ToGraph, KeepsUnknownOpcodesByName) {
  ReadResult result = read("test", "HloModule m\nENTRY main { p = f32[8] parameter(0)  ROOT r = f32[8] quux(p) }\n");
  ASSERT_TRUE(result.ok());
  const hlo::Module module = to_graph(result.modules[0]);
  EXPECT_EQ(find(module, "r").opcode, hlo::Opcode::unknown);
  EXPECT_EQ(find(module, "r").target, "quux");
}

// XLA requires epsilon and feature_index of a batch norm, with any values.
TEST(ToGraph, TextOfABatchNormHasAnEpsilonOfZero) {
  const hlo::Module module = to_graph(hlo::testing::read_module(
      "HloModule m\nENTRY main {\n  x = f32[2,3] parameter(0)\n  s = f32[3] parameter(1)\n"
      "  ROOT r = f32[2,3] batch-norm-inference(x, s, s, s, s), epsilon=0, feature_index=1\n}\n"));
  const ReadResult again = read("again", hlo::to_string(module));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(find(to_graph(again.modules[0]), "r").epsilon, 0);
  EXPECT_EQ(find(to_graph(again.modules[0]), "r").index, 1);
}

TEST(ToGraph, TextOfACustomCallHasAnEmptyTarget) {
  const hlo::Module module = to_graph(hlo::testing::read_module(
      "HloModule m\nENTRY main {\n  ROOT r = f32[2] custom-call(), custom_call_target=\"\"\n}\n"));
  const ReadResult again = read("again", hlo::to_string(module));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(find(to_graph(again.modules[0]), "r").opcode, hlo::Opcode::custom_call);
}

TEST(ToGraph, SaysWhereAValueCannotBeHeld) {
  const Module module = hlo::testing::read_module(
      "HloModule m\nENTRY main {\n  p = f32[8] parameter(0)\n"
      "  ROOT r = f32[8] collective-permute(p), source_target_pairs={{0,1,2}}\n}\n");
  try {
    to_graph(module);
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1U);
    EXPECT_EQ(error.diagnostics()[0].location.line, 4);
    EXPECT_EQ(error.diagnostics()[0].location.column, 19);
  }
}

/// Computation `c0`, and `count` more that call the one before `calls` times, the last one as the entry.
std::string nested(int count, int calls) {
  std::string text = "HloModule m\nc0 {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] negate(p)\n}\n";
  for (int i = 1; i <= count; ++i) {
    text += fmt::format("{}c{} {{\n  v0 = f32[8] parameter(0)\n", i == count ? "ENTRY " : "", i);
    for (int call = 1; call <= calls; ++call) {
      text += fmt::format("  {}v{} = f32[8] call(v{}), to_apply=c{}\n", call == calls ? "ROOT " : "", call, call - 1,
                          i - 1);
    }
    text += "}\n";
  }
  return text;
}

std::string refusal(const std::string& text) {
  try {
    to_graph(hlo::testing::read_module(text));
  } catch (const base::InputError& error) {
    return fmt::format("{}: {}", error.diagnostics().at(0).location.line, error.diagnostics().at(0).message);
  }
  return "";
}

// The entry of nested(n, 1) is the outermost of n + 1 computations. Lines: a header, 4 of c0, then 4 of each other one,
// of which the third is the call.
TEST(ToGraph, CallsAreNestedAtMost256Deep) {
  EXPECT_EQ(refusal(nested(255, 1)), "");
  EXPECT_EQ(refusal(nested(256, 1)), fmt::format("{}: call: its calls are nested more than 256 deep", 5 + 4 * 255 + 3));
  EXPECT_NE(refusal(nested(100'000, 1)), "");
}

// c0 has 2 instructions, c(i) has 3 + 2 |c(i-1)| = 5 * 2^i - 3. The first above 2^22 is c20; its second call exceeds.
TEST(ToGraph, CallsWriteOutAtMostFourMillionInstructions) {
  EXPECT_EQ(refusal(nested(19, 2)), "");
  EXPECT_EQ(
      refusal(nested(20, 2)),
      fmt::format("{}: call: with all calls written out, the computation 'c20' has more than 4194304 instructions",
                  5 + 5 * 19 + 4));
  EXPECT_NE(refusal(nested(200, 2)), "");
}

TEST(ToGraph, KeepsAlgorithmsPrecisionsDonorsAndSourceLines) {
  const std::string text = R"(HloModule m, buffer_donor={ (1, {}) }
ENTRY main {
  a = f32[4,8] parameter(0)
  b = f32[8,4] parameter(1)
  ROOT c = f32[4,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32_x3, operand_precision={highest,default}, metadata={op_type="dot" op_name="a/b" source_file="model.py" source_line=12}
}
)";
  const std::string printed = hlo::to_string(to_graph(hlo::testing::read_module(text)));
  for (const char* part :
       {"buffer_donor={ (1, {}) }", "algorithm=dot_bf16_bf16_f32_x3", "operand_precision={highest,default}",
        "metadata={op_name=\"a/b\" source_file=\"model.py\" source_line=12}"}) {
    EXPECT_NE(printed.find(part), std::string::npos) << printed;
  }
  EXPECT_EQ(hlo::to_string(to_graph(hlo::testing::read_module(printed))), printed);
}

TEST(ToGraph, ReadsWhatGraphsPrintAsTheSameGraph) {
  const std::string text = R"(HloModule m, is_scheduled=true, num_partitions=4
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }
ge { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = pred[] compare(x, y), direction=GE, type=TOTALORDER }
body { x = f32[4,6]{1,0:T(8,128)} parameter(0)  ROOT r = f32[4,6]{1,0:T(8,128)} reduce-precision(x), exponent_bits=8, mantissa_bits=7 }
ENTRY main {
  p = f32[4,6]{1,0:T(8,128)} parameter(0)
  z = f32[] constant(0)
  f = f32[4,6]{1,0:T(8,128)} fusion(p), kind=kCustom, calls=body, metadata={op_name="a/b"}
  q = f32[6,9] pad(f, z), padding=1_1x0_1_1
  s = f32[6,9] sort(q), dimensions={1}, is_stable=true, to_apply=ge
  k = (f32[6,2], s32[6,2]) topk(s), k=2, largest=false
  i = s32[3,1] constant({ {0}, {2}, {1} })
  g = f32[3,2,9] gather(q, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={2,9}
  w = f32[3,1,4] reduce-window(g, z), window={size=1x2x3 stride=1x1x2 pad=0_0x0_0x0_1}, to_apply=add
  c = f32[3,1,4] convolution(w, w), window={size=1 rhs_reversal=1}, dim_labels=b0f_o0i->b0f, feature_group_count=1
  v = f32[12] custom-call(g), custom_call_target="foo"
  j = (f32[2,2], f32[2]) custom-call(g), custom_call_target="Eigh", backend_config="1,0,100,1e-6"
  a = f32[12] all-reduce(v), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=add
  b = f32[24] all-gather(a), channel_id=2, replica_groups={{0,1},{2,3}}, dimensions={0}, use_global_device_ids=true
  e = f32[24] collective-permute-start(b), channel_id=3, source_target_pairs={{0,1},{1,0}}
  d = f32[24] collective-permute-done(e)
  h = s64[2] constant({-9223372036854775808, 5})
  ROOT t = (f32[24], s64[2], (f32[6,2], s32[6,2])) tuple(d, h, k)
}
)";
  // The convolution's shapes do not follow from its operands; that does not matter here.
  const std::string printed = hlo::to_string(to_graph(hlo::testing::read_module(text)));
  EXPECT_EQ(hlo::to_string(to_graph(hlo::testing::read_module(printed))), printed);
  const hlo::Module again = to_graph(hlo::testing::read_module(printed));
  EXPECT_EQ(find(again, "q").padding, (std::vector<hlo::PadDimension>{{1, 1, 0}, {0, 1, 1}}));
  EXPECT_EQ(find(again, "f").fusion_kind, hlo::FusionKind::custom);
  EXPECT_EQ(find(again, "f").op_name, "a/b");
  EXPECT_TRUE(find(again, "s").is_stable);
  EXPECT_FALSE(find(again, "k").largest);
  EXPECT_TRUE(find(again, "j").triangular.lower);
  EXPECT_EQ(find(again, "j").index, 100);
  EXPECT_EQ(find(again, "j").epsilon, 1e-6);
  EXPECT_EQ(find(again, "e").phase, hlo::AsyncPhase::start);
  EXPECT_EQ(find(again, "h").literal->integers[0], INT64_MIN);
  EXPECT_TRUE(again.scheduled);
}

}  // namespace
}  // namespace podsim::hlo::text::graph
