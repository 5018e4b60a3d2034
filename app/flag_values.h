// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace podsim::app {

/// A word that may stand in a place, and what it is.
struct NamedWord {
  std::string word, description;
};

/// What may be written behind a flag, or in the place of a positional argument.
struct FlagValues {
  enum class Paths { none, files, folders };
  std::vector<NamedWord> words;
  Paths paths = Paths::none;  ///< besides the words
};

/// "tile|replay": how an option's type_name lists the words that it takes.
std::string alternatives(const std::vector<std::string>& words);

/// The values of an option, by its type_name where it has one of its own, else the form that help shows
/// (option_text), else a positional's name:
///
///   tile|replay   these words, or one; capitals, as in on|off|AXES, stand for something else
///   FILE PROFILE  a file          DIR       a folder
///   MACHINE       a built-in machine or a file         WORKLOAD  a built-in workload or a file
///   STUDY         a study of the program or a file     KEY=VALUE a key of tpu-v3 or of the workload, with = behind it
///   RUN           a folder, or a point of a study      METRIC VARIABLE AXIS AXIS=VALUE   of a study's database
///
/// Anything else may be anything. `current` is what is written of the value, `arguments` are those that stand before,
/// of which the first is the workload, or the study whose names are offered.
FlagValues values_of(const CLI::Option& option, const std::string& current, const std::vector<std::string>& arguments);

/// Whether an option takes the next word: flags do not, nor does "--listing[=FILE]".
bool takes_next_word(const CLI::Option& option);

}  // namespace podsim::app
