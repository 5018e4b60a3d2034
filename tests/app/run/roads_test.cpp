// SPDX-License-Identifier: Apache-2.0
// Every way to specify a program leads to the same passes: by name, as a page, from Python, from a library, as
// StableHLO, and as the HLO text that is printed for each. The oracle of a road is another one: both print the same
// --json, apart from the workload's name and the time on this host, and refuse the same programs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim::test {
namespace {

using Words = std::vector<std::string>;

struct Program {
  const char* label;
  Words program;  ///< with its settings
  std::string slice = {};
};

void PrintTo(const Program& program, std::ostream* out) { *out << program.label; }

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string in_source(const char* path) { return (std::filesystem::path(PODSIM_SOURCE_DIR) / path).string(); }

Words on(const Program& program) { return program.slice.empty() ? Words{} : Words{"--slice", program.slice}; }

/// Writes the text of a program to FILE.
void print(const Folder& folder, const Program& program, const std::string& file) {
  const Outcome printed = folder.run(joined(joined({"hlo", "print"}, program.program), on(program)));
  ASSERT_EQ(printed.code, 0) << printed.err;
  folder.write(file, printed.out);
}

/// The result without the values that differ between roads and between runs.
nlohmann::ordered_json result_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  if (outcome.code != 0) return {};
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(outcome.out);
  for (const char* key : {"workload", "compile_s", "wall_s", "partition_s"}) json.erase(key);
  return json;
}

/// The message about a program, without the program's name and the line below it.
std::string refusal_of(const Outcome& outcome, const std::string& name) {
  std::string said = outcome.err.substr(0, outcome.err.find('\n'));
  for (std::size_t at = said.find(name); at != std::string::npos; at = said.find(name))
    said.replace(at, name.size(), "P");
  return std::to_string(outcome.code) + " " + said;
}

class Roads : public ::testing::TestWithParam<Program> {
 protected:
  void SetUp() override {
    if (!program().program[0].ends_with(".py:net")) return;
    if (find_program("python3").empty()) GTEST_SKIP() << "there is no python3";
    folder.write("net.py",
                 "def net(program, width=256):\n"
                 "    x = program.parameter('x', (64, 512))\n"
                 "    w = program.parameter('w', (512, width))\n"
                 "    return (x @ w) * 2.0\n");
  }
  const Program& program() const { return GetParam(); }
  Outcome run(const Words& what, const Words& more) const {
    return folder.run(joined(joined(joined({"run"}, what), on(program())), more));
  }

  Folder folder;
};

TEST_P(Roads, GiveTheSameResult) {
  ASSERT_NO_FATAL_FAILURE(print(folder, program(), "printed.hlo"));
  const auto result = result_of(run(program().program, {"--json"}));
  EXPECT_EQ(result_of(run({"printed.hlo"}, {"--json"})).dump(1), result.dump(1));
  EXPECT_GT(result.value("step_time_s", 0.0), 0);
  // The printed text, printed again, has the same result.
  const Outcome again = folder.run({"hlo", "print", "printed.hlo"});
  folder.write("again.hlo", again.out);
  EXPECT_EQ(result_of(run({"again.hlo"}, {"--json"})).dump(1), result.dump(1));
}

TEST_P(Roads, RefuseTheSame) {
  ASSERT_NO_FATAL_FAILURE(print(folder, program(), "printed.hlo"));
  for (const char* capacity : {"\"64 KiB\"", "\"24 MiB\"", "\"200 MiB\""}) {
    const Words small = {"--json", "--set", "hbm.reserved_per_core=\"0 B\"", "--set",
                         std::string("hbm.capacity_per_core=") + capacity};
    const Outcome given = run(program().program, small), printed = run({"printed.hlo"}, small);
    EXPECT_EQ(refusal_of(printed, "printed.hlo"), refusal_of(given, program().program[0])) << capacity;
    if (given.code == 0) {
      EXPECT_EQ(result_of(printed).dump(1), result_of(given).dump(1)) << capacity;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Roads,
    ::testing::Values(Program{"resnet", {"resnet50"}, "2x2"},
                      Program{"bert", {"bert_large", "--set", "model.layers=1"}, "2x2"},
                      Program{"decoder", {"transformer", "--set", "model.layers=2"}, "4x4"},
                      Program{"recommender", {"dlrm"}, "4x4"}, Program{"filtering", {"ncf"}, "2x2"},
                      Program{"perceptron", {"perceptron"}, "2x2"}, Program{"pipeline", {"pipelined_mlp"}, "2x2"},
                      Program{"page", {in_source("examples/nets/resnet50.toml")}, "2x1"},
                      Program{"cut_page", {in_source("examples/nets/mixture.toml"), "--set", "model.pairs=1"}, "4x4"},
                      Program{"stablehlo", {in_source("tests/hlo/stablehlo/programs/layers/attention.mlir")}},
                      Program{"sharded_stablehlo",
                              {in_source("tests/hlo/stablehlo/programs/sharded/data_parallel_step.mlir")}},
                      Program{"python", {"net.py:net", "--set", "model.width=512"}}),
    [](const auto& tested) { return std::string(tested.param.label); });

/// A page is the built-in workload instruction by instruction, but for the name of one scope.
TEST(RoadsOfResNet50, NamePageAndLibraryGiveTheSameResult) {
  const Folder folder;
  const auto result = [&](const std::string& workload) {
    std::string text = result_of(folder.run({"run", workload, "--slice", "2x2", "--json"})).dump(1);
    for (std::size_t at = text.find("stem/conv"); at != std::string::npos; at = text.find("stem/conv"))
      text.replace(at, 9, "stem");
    return text;
  };
  const std::string built_in = result("resnet50");
  EXPECT_EQ(result(in_source("examples/nets/resnet50.toml")), built_in);
  const std::string build = "c++ -std=c++20 -shared -fPIC -I" + in_source("include") + " " +
                            in_source("examples/mynet/mynet.cpp") + " -o " + (folder.path() / "libmynet.so").string();
  if (std::system((build + " 2>/dev/null").c_str()) != 0) GTEST_SKIP() << "there is no compiler for a library";
  EXPECT_EQ(result("./libmynet.so"), built_in);
}

}  // namespace
}  // namespace podsim::test
