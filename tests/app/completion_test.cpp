// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/app/commands.h"
#include "tests/app/interactive_shell.h"
#include "tests/app/program.h"

namespace podsim {
namespace {

using Words = std::vector<std::string>;

/// The words that the program offers, without descriptions.
Words offered(Words words) {
  words.insert(words.begin(), "__complete");
  const test::Folder folder;
  const test::Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  Words found = test::lines_of(outcome.out);
  for (std::string& line : found) line = line.substr(0, line.find('\t'));
  return found;
}

std::string help_of(Words words) {
  words.emplace_back("--help");
  const test::Folder folder;
  return folder.run(words).out;
}

/// The commands that a help text lists: the first words of the lines below "Commands:".
Words commands_in(const std::string& help) {
  Words commands;
  bool inside = false;
  for (const std::string& line : test::lines_of(help)) {
    if (!line.starts_with("  "))
      inside = line == "Commands:" || line == "Subcommands:";
    else if (inside && line[2] != ' ')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

/// The long flags that a help text lists, except "-h,--help".
Words flags_in(const std::string& help) {
  Words flags;
  for (const std::string& line : test::lines_of(help)) {
    const std::size_t begin = line.find("--");
    if (!line.starts_with("  -") || begin == std::string::npos || begin > 8) continue;
    const std::string flag = line.substr(begin, line.find_first_of(" ,=[", begin) - begin);
    if (flag != "--help") flags.push_back(flag);
  }
  return flags;
}

bool contains(const Words& words, const std::string& word) { return std::ranges::find(words, word) != words.end(); }

void expect_what_help_lists(const Words& path) {
  const std::string help = help_of(path);
  Words line = path;
  line.emplace_back("");
  const Words at_word = offered(line);
  for (const std::string& command : commands_in(help)) EXPECT_TRUE(contains(at_word, command)) << command;
  line.back() = "--";
  const Words at_flag = offered(line);
  for (const std::string& flag : flags_in(help)) EXPECT_TRUE(contains(at_flag, flag)) << help << flag;
  for (const std::string& command : commands_in(help)) {
    Words inner = path;
    inner.push_back(command);
    expect_what_help_lists(inner);
  }
}

TEST(Completion, OffersEveryCommandAndFlagThatHelpLists) {
  ASSERT_TRUE(contains(commands_in(help_of({})), "run"));
  ASSERT_TRUE(contains(flags_in(help_of({"run"})), "--detail"));
  expect_what_help_lists({});
}

TEST(Completion, OffersTheValuesThatAFlagTakes) {
  EXPECT_EQ(offered({"run", "--detail", ""}), (Words{"auto", "tile", "replay", "chip"}));
  EXPECT_EQ(offered({"run", "--detail", "t"}), Words{"tile"});
  EXPECT_EQ(offered({"run", "--detail=r"}), Words{"--detail=replay"});
  EXPECT_EQ(offered({"run", "--fold", ""}), (Words{"on", "off", "all"}));
  EXPECT_EQ(offered({"run", "--weight-update-sharding", ""}), (Words{"on", "off", "auto"}));  // AXES are the user's
  EXPECT_EQ(offered({"run", "--sharding", ""}), Words{":files"});
  EXPECT_EQ(offered({"run", "-o", ""}), Words{":folders"});
  EXPECT_EQ(offered({"run", "--batch-per-core", ""}), Words{});
  EXPECT_EQ(offered({"run", "--machine", "tpu-v3"}), (Words{"tpu-v3", "tpu-v3-hbm3", ":files"}));
  EXPECT_EQ(offered({"run", "--set", "ici.link_r"}), Words{"ici.link_rate="});
  EXPECT_EQ(offered({"completion", ""}), (Words{"bash", "zsh", "fish"}));
  EXPECT_EQ(offered({"sweep", "--emit", ""}), Words{"slurm"});
  EXPECT_EQ(offered({"run", "--algorithm", "one"}), Words{"one-way-ring"});
  EXPECT_TRUE(contains(offered({"collective", "--algorithm", ""}), "auto"));
}

TEST(Completion, OffersTheKeysOfTheWorkloadThatIsNamed) {
  EXPECT_EQ(offered({"run", "transformer", "--set", "model.lay"}), Words{"model.layers="});
  EXPECT_EQ(offered({"run", "--set", "model.lay"}), Words{});
  EXPECT_EQ(offered({"run", "transformer", "--set", "ici.link_r"}), Words{"ici.link_rate="});
}

/// Points and names of a study that was swept.
TEST(Completion, OffersWhatAStudyHas) {
  const test::Folder folder;
  folder.write("s.toml", R"(metrics = ["time_s"]
[base]
command = "collective"
kind = "all-reduce"
bytes = "1KiB"
[axes]
slice = ["2x2", "4x2"]
)");
  ASSERT_EQ(folder.run({"sweep", "s.toml"}).code, 0);
  const auto offers = [&](Words words) {
    words.insert(words.begin(), "__complete");
    return test::lines_of(folder.run(words).out);
  };
  EXPECT_EQ(offers({"compare", "s:"}),
            (Words{"s:baseline\tslice 2x2", "s:0\tslice 2x2", "s:1\tslice 4x2", ":folders"}));
  EXPECT_EQ(offers({"compare", "s:0", "s/s.sqlite:1"}), (Words{"s/s.sqlite:1\tslice 4x2", ":folders"}));
  EXPECT_EQ(offers({"compare", "nothing:"}), Words{":folders"});
  EXPECT_EQ(offers({"report", "s", "--metric", ""}), Words{"time_s"});
  EXPECT_EQ(offers({"report", "s", "--x", ""}), (Words{"slice", "time_s"}));
  EXPECT_EQ(offers({"report", "s", "--family", ""}), (Words{"slice", "none"}));
  EXPECT_EQ(offers({"report", "s", "--fix", "slice=4"}), Words{"slice=4x2"});
  EXPECT_EQ(offers({"report", "nothing", "--metric", ""}), Words{});
}

/// The program accepts every value that completion offers.
TEST(Completion, OffersOnlyWhatIsTaken) {
  const test::Folder folder;
  for (const char* flag : {"--optimizer", "--rematerialise", "--memory", "--fold", "--overlap", "--contention",
                           "--detail", "--algorithm"}) {
    const Words values = offered({"run", flag, ""});
    EXPECT_FALSE(values.empty()) << flag;
    for (const std::string& value : values) {
      // A slice that is refused, after the flag was read.
      const test::Outcome outcome = folder.run({"run", "resnet50", flag, value, "--slice", "0x0"});
      EXPECT_EQ(outcome.err.find(flag), std::string::npos) << outcome.err;
    }
  }
  for (const std::string& kind : offered({"collective", "all"})) {
    EXPECT_EQ(folder.run({"collective", kind, "--bytes", "1MiB", "--slice", "2x2"}).code, 0) << kind;
  }
}

TEST(Completion, KnowsWhereInTheLineItIs) {
  EXPECT_TRUE(contains(offered({"run", ""}), "resnet50"));
  EXPECT_TRUE(contains(offered({"run", "--slice", "4x4", "res"}), "resnet50"));
  EXPECT_FALSE(contains(offered({"run", "resnet50", ""}), "resnet50"));  // the workload is there
  EXPECT_FALSE(contains(offered({"run", "--slice", "4x4", "--"}), "--slice"));
  EXPECT_TRUE(contains(offered({"run", "--set", "core.vmem=1MiB", "--"}), "--set"));  // may be repeated
  EXPECT_EQ(offered({"run", "--compare", "a.toml", ""}), Words{":files"});            // the second of two
  EXPECT_TRUE(contains(offered({"help", "ru"}), "run"));
  EXPECT_EQ(offered({"compare", "a", ""}), Words{":folders"});
  EXPECT_EQ(offered({"frobnicate", "--"}), offered({"--"}));
  EXPECT_FALSE(contains(offered({""}), "__complete"));
}

TEST(Completion, AnUnknownShellIsRefused) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"completion", "fihs"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("did you mean 'fish'?"), std::string::npos) << outcome.err;
}

/// A shell with the program in its PATH, its completion loaded, and folders to complete.
class ShellCompletion : public ::testing::Test {
 protected:
  ShellCompletion() { std::filesystem::create_directories(folder.path() / "before"); }
  test::Folder folder;
};

TEST_F(ShellCompletion, Bash) {
  test::InteractiveShell bash(folder, {"bash", "--norc", "--noprofile", "-i"});
  if (!bash.exists()) GTEST_SKIP() << "no bash";
  bash.send("source <(podsim completion bash); bind 'set bell-style none'; echo rea''dy\n");
  ASSERT_TRUE(bash.shows("ready")) << bash.shown();
  const auto completes = [&](const std::string& line, const std::string& to) {
    bash.send(line + "\t");
    EXPECT_TRUE(bash.shows(to)) << line << "\n" << bash.shown();
    bash.send("\x15\n");  // ^U clears the line
    EXPECT_TRUE(bash.shows("$ "));
  };
  completes("podsim collect", "podsim collective ");
  completes("podsim run --det", "--detail ");
  completes("podsim run --detail ti", "--detail tile ");
  completes("podsim run --detail=ti", "--detail=tile ");
  completes("podsim run --set ici.link_r", "--set ici.link_rate=");
  completes("podsim describe tpu-v3-", "tpu-v3-hbm3 ");
  completes("podsim describe tpu-v6", "tpu-v6e ");
  completes("podsim kernel matm", "podsim kernel matmul ");
  completes("podsim compare bef", "podsim compare before/");
}

TEST_F(ShellCompletion, Zsh) {
  test::InteractiveShell zsh(folder, {"zsh", "-f", "-i"});
  if (!zsh.exists()) GTEST_SKIP() << "no zsh";
  zsh.send(
      "PS1='$ '; unsetopt zle_bracketed_paste beep prompt_cr; autoload -U compinit; compinit -u -D; "
      "source <(podsim completion zsh); echo rea''dy\n");
  ASSERT_TRUE(zsh.shows("ready")) << zsh.shown();
  const auto becomes = [&](const std::string& line, const std::string& to) {
    // A key that copies the line into a file shows it again as a whole.
    zsh.send(line + "\t\x18\x17");
    EXPECT_TRUE(zsh.shows("<" + to + ">")) << line << "\n" << zsh.shown();
    zsh.send("\x15");
  };
  zsh.send("show-line() { print -r -- \"<$BUFFER>\"; }; zle -N show-line; bindkey '^X^W' show-line; echo bou''nd\n");
  ASSERT_TRUE(zsh.shows("bound")) << zsh.shown();
  ASSERT_TRUE(zsh.shows("$ ")) << zsh.shown();  // until then the terminal itself takes control characters
  becomes("podsim collect", "podsim collective ");
  becomes("podsim run --detail ti", "podsim run --detail tile ");
  becomes("podsim run --detail=ti", "podsim run --detail=tile ");
  becomes("podsim run --set ici.link_r", "podsim run --set ici.link_rate=");
  becomes("podsim compare bef", "podsim compare before/");
}

TEST_F(ShellCompletion, Fish) {
  const auto complete = [&](const std::string& line) {
    return test::run_shell(
        folder, {"fish", "--no-config", "-c", "podsim completion fish | source; complete -C '" + line + "'"});
  };
  if (!complete("podsim ")) GTEST_SKIP() << "no fish";
  EXPECT_EQ(complete("podsim run --detail ti"), "tile\n");
  EXPECT_EQ(complete("podsim run --detail=ti"), "--detail=tile\n");
  EXPECT_TRUE(complete("podsim compare bef")->starts_with("before/"));
  EXPECT_TRUE(complete("podsim collect")->starts_with("collective\tRun one collective")) << *complete("podsim collect");
  EXPECT_TRUE(complete("podsim run --set ici.link_r")->starts_with("ici.link_rate=\t"));
}

}  // namespace
}  // namespace podsim
