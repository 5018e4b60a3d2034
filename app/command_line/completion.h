// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/options/flag_values.h"

namespace CLI {
class App;
}

namespace podsim::app::command_line {

/// The words that may stand at the cursor of a command line, from the tree of commands and flags that parses it:
/// commands, flags not yet given, values. `words` are those after the program's name up to the cursor. The last one is
/// being written and may be empty; all returned words begin with it.
options::FlagValues complete(const CLI::App& program, const std::vector<std::string>& words);

/// The completions as shells read them: a line per word, "WORD<tab>DESCRIPTION", and a last line ":files" or ":folders"
/// if paths may follow.
std::string completion_lines(const options::FlagValues& completions);

/// The script by which a shell calls `podsim __complete WORDS...`; nullptr for a shell other than bash, zsh and fish.
const char* completion_script(const std::string& shell);

}  // namespace podsim::app::command_line
