// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/sharding_file.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::spmd::mesh {
namespace {

/// The message that the program would print.
std::string failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::InputError& error) {
    std::string text;
    for (const base::Diagnostic& diagnostic : error.diagnostics()) text += base::format(diagnostic);
    return text;
  }
  return "nothing failed";
}

hlo::Module program() {
  return text::testing::graph_of(R"(HloModule m
ENTRY main {
  tokens = s32[64,32] parameter(0)
  w_in.0 = f32[128,512] parameter(1), metadata={op_name="layer0/ffn/w_in"}
  w_in.1 = f32[128,512] parameter(2), metadata={op_name="layer1/ffn/w_in"}
  state = (f32[128,512], f32[128]) parameter(3)
  scale = f32[] constant(2), metadata={op_name="layer0/ffn/scaled"}
  many = f32[128,512] broadcast(scale), dimensions={}, metadata={op_name="layer0/ffn/scaled"}
  scaled = f32[128,512] multiply(w_in.0, many), metadata={op_name="layer0/ffn/scaled"}
  ROOT sum = f32[128,512] add(scaled, w_in.1)
}
)");
}

hlo::Module annotated(const std::string& text, const char* mesh = "x=2,y=4") {
  hlo::Module module = program();
  annotate(module, Mesh::parse(mesh), read_sharding_file("s.toml", text));
  return module;
}

std::string sharding_of(const hlo::Module& module, const std::string& name) {
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.name == name) return instruction.sharding ? hlo::to_string(*instruction.sharding) : "none";
  }
  return "no " + name;
}

TEST(ShardingFile, ReadsItsMeshAndItsRulesInTheirOrder) {
  const ShardingFile file = read_sharding_file("s.toml", R"([mesh]
axes = "x=32,y=64"
[sharding]
"b*" = ["x", "", "y"]
"a*" = ["x+y"]
c = "manual"
"a" = "replicated"
)");
  EXPECT_EQ(file.mesh, Mesh::parse("32x64"));
  ASSERT_EQ(file.rules.size(), 4U);
  EXPECT_EQ(file.rules[0].pattern, "b*");
  EXPECT_EQ(file.rules[0].dimensions, (std::vector<std::string>{"x", "", "y"}));
  EXPECT_EQ(file.rules[1].pattern, "a*");
  EXPECT_EQ(file.rules[2].kind, ShardingRule::Kind::manual);
  EXPECT_EQ(file.rules[3].kind, ShardingRule::Kind::replicated);
  EXPECT_EQ(file.rules[3].pattern_location.line, 7);
  EXPECT_FALSE(read_sharding_file("s.toml", "[sharding]\n").mesh);
}

TEST(ShardingFile, AnnotatesByNameAndByOpName) {
  const hlo::Module module = annotated(R"([sharding]
tokens = ["x+y"]
"layer*/ffn/w_in" = ["x", "y"]
)");
  EXPECT_EQ(sharding_of(module, "tokens"), "{devices=[8,1]<=[8]}");
  EXPECT_EQ(sharding_of(module, "w_in.0"), "{devices=[2,4]<=[8]}");
  EXPECT_EQ(sharding_of(module, "w_in.1"), "{devices=[2,4]<=[8]}");
  EXPECT_EQ(sharding_of(module, "sum"), "none");
}

TEST(ShardingFile, TheFirstMatchInTheFileCounts) {
  const hlo::Module module = annotated(R"([sharding]
"w_in.1" = ["", "y"]
"*w_in*" = ["y+x"]
"layer0*" = "manual"
)");
  EXPECT_EQ(sharding_of(module, "w_in.1"), "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(sharding_of(module, "w_in.0"), "{devices=[8,1]<=[2,4]T(1,0)}");
  EXPECT_EQ(sharding_of(module, "scaled"), "{manual}");
}

TEST(ShardingFile, AnOpNameLeavesAloneWhatHasFewerDimensions) {
  const hlo::Module module = annotated("[sharding]\n\"layer0/ffn/scaled\" = [\"x\", \"y\"]\n");
  EXPECT_EQ(sharding_of(module, "many"), "{devices=[2,4]<=[8]}");
  EXPECT_EQ(sharding_of(module, "scaled"), "{devices=[2,4]<=[8]}");
  EXPECT_EQ(sharding_of(module, "scale"), "none");
}

TEST(ShardingFile, EveryArrayOfATupleGetsTheRules) {
  EXPECT_EQ(sharding_of(annotated("[sharding]\nstate = [\"x\"]\n"), "state"),
            "{{devices=[2,1,4]<=[8] last_tile_dim_replicate}, {devices=[2,4]<=[8] last_tile_dim_replicate}}");
  EXPECT_EQ(sharding_of(annotated("[sharding]\nstate = \"manual\"\n"), "state"), "{{manual}, {manual}}");
}

TEST(ShardingFile, PointsAtWhatDoesNotFitTheProgram) {
  EXPECT_EQ(failure([] { annotated("[sharding]\n\"layer*/ffn/w_im\" = [\"x\"]\n"); }),
            "s.toml:2:1: error: 'layer*/ffn/w_im' matches no value of the program\n"
            "  2 | \"layer*/ffn/w_im\" = [\"x\"]\n"
            "    | ^~~~~~~~~~~~~~~~~ did you mean 'layer*/ffn/w_in'?\n");
  EXPECT_EQ(failure([] { annotated("[sharding]\ntoken = [\"x\"]\n"); }),
            "s.toml:2:1: error: 'token' matches no value of the program\n"
            "  2 | token = [\"x\"]\n"
            "    | ^~~~~ did you mean 'tokens'?\n");
  EXPECT_EQ(failure([] { annotated("[sharding]\ntokens = [\"x\", \"modle\"]\n", "x=2,model=4"); }),
            "s.toml:2:16: error: 'modle' is no axis of the mesh\n"
            "  2 | tokens = [\"x\", \"modle\"]\n"
            "    |                ^~~~~~~ did you mean 'model'?\n");
  EXPECT_EQ(failure([] { annotated("[sharding]\ntokens = [\"x\", \"\", \"y\"]\n"); }),
            "s.toml:2:20: error: 3 dimensions are named, but tokens s32[64,32] has 2\n"
            "  2 | tokens = [\"x\", \"\", \"y\"]\n"
            "    |                    ^~~\n");
  EXPECT_EQ(failure([] { annotated("[sharding]\ntokens = [\"x\", \"y+x\"]\n"); }),
            "s.toml:2:16: error: the mesh axis 'x' cuts the value twice\n"
            "  2 | tokens = [\"x\", \"y+x\"]\n"
            "    |                ^~~~~\n");
}

TEST(ShardingFile, ReportsAllThatIsWrongAtOnce) {
  const std::string text = failure([] { annotated("[sharding]\nq = [\"z\"]\nunheard = [\"x\"]\ntokens = [\"w\"]\n"); });
  EXPECT_NE(text.find("s.toml:2:6: error: 'z' is no axis"), std::string::npos) << text;
  EXPECT_NE(text.find("s.toml:3:1: error: 'unheard' matches no value"), std::string::npos) << text;
  EXPECT_NE(text.find("s.toml:4:11: error: 'w' is no axis"), std::string::npos) << text;
}

TEST(ShardingFile, PointsAtWhatIsNoShardingFile) {
  const auto read = [](const std::string& text) {
    return failure([&] { static_cast<void>(read_sharding_file("s.toml", text)); });
  };
  EXPECT_EQ(read("[mesh]\naxes = \"x=32,y=0\"\n"),
            "s.toml:2:14: error: the mesh axis 'y' has a size of at least 1, not 0\n"
            "  2 | axes = \"x=32,y=0\"\n"
            "    |              ^~~ axes and their sizes, such as x=32,y=64 or 32x64\n");
  EXPECT_EQ(read("[shardings]\na = [\"x\"]\n"),
            "s.toml:1:2: error: 'shardings' is no part of a sharding file\n"
            "  1 | [shardings]\n"
            "    |  ^~~~~~~~~ did you mean 'sharding'?\n");
  EXPECT_EQ(read("[sharding]\na = [\"x\", 3]\n"),
            "s.toml:2:11: error: a dimension's axes are a string\n"
            "  2 | a = [\"x\", 3]\n"
            "    |           ^ such as [\"x\", \"\", \"y+z\"], \"replicated\" or \"manual\"\n");
  EXPECT_NE(read("[sharding]\na = \"x\"\n").find("s.toml:2:5: error: a sharding is a list"), std::string::npos);
  EXPECT_NE(read("[sharding]\na.b = [\"x\"]\n").find("'a' is a table; a name with dots needs quotes"),
            std::string::npos);
  EXPECT_NE(read("[mesh]\naxis = \"x=2\"\n").find("'axis' is no key of [mesh]"), std::string::npos);
  EXPECT_NE(read("[mesh]\naxes = 4\n").find("the axes of a mesh are a string"), std::string::npos);
  EXPECT_NE(read("mesh = 4\n").find("'mesh' is a table of keys"), std::string::npos);
  EXPECT_NE(read("[sharding\n").find("s.toml:1:"), std::string::npos);
}

}  // namespace
}  // namespace podsim::hlo::spmd::mesh
