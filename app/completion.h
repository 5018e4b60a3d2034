// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/flag_values.h"

namespace CLI {
class App;
}

namespace podsim::app {

/// What may stand where the cursor is on a command line, from the tree of commands and flags that parses it: commands,
/// flags that were not given yet, values. `words` is what stands behind the program's name up to the cursor; the last
/// of them is the one that is being written, perhaps empty, and every word that is returned begins with it.
FlagValues complete(const CLI::App& program, const std::vector<std::string>& words);

/// For the shells: a line for every word, "WORD<tab>DESCRIPTION", and where paths are wanted a last line ":files" or
/// ":folders".
std::string completion_lines(const FlagValues& completions);

/// What makes a shell ask `podsim __complete WORDS...`; nullptr for a shell other than bash, zsh and fish.
const char* completion_script(const std::string& shell);

}  // namespace podsim::app
