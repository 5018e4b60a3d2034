// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace podsim::app::options {

/// A possible word and its description.
struct NamedWord {
  std::string word, description;
};

/// The values that a flag or positional argument may take.
struct FlagValues {
  enum class Paths { none, files, folders };
  std::vector<NamedWord> words;
  Paths paths = Paths::none;  ///< paths that are possible in addition to the words
};

/// "tile|replay": form of an option's type_name that lists its words.
std::string alternatives(const std::vector<std::string>& words);

/// The values of an option. Their kind follows from its type_name if one is set, else from the form that help shows
/// (option_text), else a positional's name:
///
///   tile|replay   these words, or one word; capitals, as in on|off|AXES, are a free value
///   FILE PROFILE  a file          DIR       a folder
///   MACHINE       a built-in machine or a file         WORKLOAD  a built-in workload or a file
///   STUDY         a shipped study or a file            KEY=VALUE a key of tpu-v3 or of the workload, followed by =
///   RUN           a folder, or a point of a study      METRIC VARIABLE AXIS AXIS=VALUE   of a study's database
///
/// Any other form is a free value. `current` is the part of the value written so far, `arguments` the positional
/// arguments before it; the first of these is the workload, or the study with the names to complete.
FlagValues values_of(const CLI::Option& option, const std::string& current, const std::vector<std::string>& arguments);

/// True if an option takes the next word as its value: flags do not, nor does "--listing[=FILE]".
bool takes_next_word(const CLI::Option& option);

}  // namespace podsim::app::options
