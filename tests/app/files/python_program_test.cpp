// SPDX-License-Identifier: Apache-2.0
// A workload in Python, FILE.py:FUNCTION, in a folder whose files have the names of modules. The oracle is the run of
// the same file in an empty folder.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/app/files/shell.h"

namespace podsim::files {
namespace {

const std::string net =
    "def net(program):\n"
    "    x = program.parameter('x', (8, 128))\n"
    "    return x * 2.0 + 1.0\n";

/// HLO without the lines of the file that it came from.
std::string without_lines(const std::string& hlo) {
  return std::regex_replace(hlo, std::regex("source_file=\"[^\"]*\" source_line=[0-9]+"), "");
}

class PythonProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test::find_program("python3").empty()) GTEST_SKIP() << "there is no python3";
    folder.write("net.py", net);
    expected = printed("net.py:net");
    ASSERT_EQ(expected.code, 0) << expected.err;
    ASSERT_NE(expected.out.find("HloModule"), std::string::npos);
  }
  test::Outcome printed(const std::string& workload) const { return folder.run({"hlo", "print", workload}); }

  test::Folder folder;
  test::Outcome expected;
};

TEST_F(PythonProgram, TakesNoModuleFromTheWorkingFolder) {
  std::filesystem::create_directory(folder.path() / "nets");
  folder.write("nets/net.py", net);
  const std::string steals = "open('stolen', 'a').write(__name__)\nraise SystemExit(7)\n";
  for (const char* name : {"podsim", "json", "ast", "inspect", "os", "typing", "re", "math", "sqlite3", "jax", "numpy",
                           "sitecustomize", "usercustomize", "runpy", "encodings", "site", "importlib"}) {
    folder.write(std::string(name) + ".py", steals);
  }
  const test::Outcome found = printed("nets/net.py:net");
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(without_lines(found.out), without_lines(expected.out));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "stolen")) << folder.read("stolen");
}

/// PYTHONPATH that is set and empty adds no folder to Python's path, and must not add one here.
TEST_F(PythonProgram, TakesNoModuleThroughAnEmptyPath) {
  std::filesystem::create_directory(folder.path() / "nets");
  folder.write("nets/net.py", net);
  folder.write("podsim.py", "raise SystemExit(7)\n");
  const test::Outcome found = test::run_line(folder, "PYTHONPATH= \"$PODSIM\" hlo print nets/net.py:net");
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(without_lines(found.out), without_lines(expected.out));
}

/// podsim.build is loaded before the folder of the file is in Python's path.
TEST_F(PythonProgram, MayStandBesideFilesWithTheNamesOfModules) {
  for (const char* name : {"podsim", "ast", "inspect"})
    folder.write(std::string(name) + ".py", "raise SystemExit(7)\n");
  EXPECT_EQ(printed("net.py:net").out, expected.out);
}

TEST_F(PythonProgram, ImportsItsNeighbours) {
  folder.write("sizes.py", "columns = 128\n");
  folder.write("two.py", "from sizes import columns\n" + net);
  EXPECT_EQ(without_lines(printed("two.py:net").out), without_lines(expected.out));
}

/// Prints of Python, writes to descriptor 1 from C and from a process of its own are not HLO, and are shown.
TEST_F(PythonProgram, MayPrint) {
  folder.write("net.py",
               "import os, sys\nprint('printed')\nos.write(1, b'written\\n')\nos.system('echo echoed')\n"
               "sys.__stdout__.write('flushed late\\n')\n" +
                   net);
  const test::Outcome found = printed("net.py:net");
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(without_lines(found.out), without_lines(expected.out));
  for (const char* text : {"printed", "written", "echoed", "flushed late"}) {
    EXPECT_NE(found.err.find(text), std::string::npos) << text;
  }
}

TEST_F(PythonProgram, ThatFailsIsNamedWithItsLine) {
  folder.write("net.py", "print('noise')\n" + net + "\ndef bad(program):\n    return 1 / 0\n");
  const test::Outcome found = printed("net.py:bad");
  EXPECT_EQ(found.code, 2);
  EXPECT_NE(found.err.find("net.py:7: ZeroDivisionError: division by zero"), std::string::npos) << found.err;
  EXPECT_EQ(found.out, "");
}

/// The limit ends a program that does not end.
TEST_F(PythonProgram, IsEndedByTheLimit) {
  folder.write("slow.py", "import time\n" + net + "\ndef slow(program):\n    time.sleep(60)\n");
  const test::Outcome found = test::run_line(folder, "timeout 10 \"$PODSIM\" run slow.py:slow --limit '500 ms'");
  EXPECT_EQ(found.code, 124);
  EXPECT_NE(found.err.find("the time limit is reached"), std::string::npos) << found.err;
}

}  // namespace
}  // namespace podsim::files
