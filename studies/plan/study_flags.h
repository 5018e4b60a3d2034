// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The commands that points of a study may be, and those of their flags that a study may set. Keys of flags have _ in
/// place of -.
namespace podsim::studies::plan {

/// Form of a value on the command line.
enum class FlagForm {
  argument,  ///< the word alone, as a positional argument
  value,     ///< the flag and the word
  repeated,  ///< the flag before each of the blank-separated words
  toggle,    ///< the flag alone if the value is "on"
};

/// Type of a value.
enum class FlagType { text, choice, whole, number, bytes, time, file };

struct StudyFlag {
  std::string key;   ///< "batch_per_core"
  std::string word;  ///< "--batch-per-core"; "" for an argument
  FlagForm form = FlagForm::value;
  FlagType type = FlagType::text;
  std::int64_t least = 0, most = 0;       ///< range of a whole number
  std::vector<std::string> choices = {};  ///< allowed words of a choice
  /// Further check of the text on its own. Throws base::InputError, either without a location or with one in the text.
  std::function<void(const std::string& text)> check = {};
};

/// "run", the default, "train", "collective", "goodput", "serve".
std::span<const std::string_view> study_commands();

/// The flags of one of them in the order in which a point's command line has them.
const std::vector<StudyFlag>& study_flags(std::string_view command);

/// nullptr if `key` is none of them.
const StudyFlag* find_flag(std::string_view command, std::string_view key);

/// Checks one value on its own, independent of machine and slice. Throws base::InputError, either without a location or
/// with one in the text.
void check_flag_value(const StudyFlag& flag, const std::string& text);

/// Keys that the command requires.
std::vector<std::string> required_flags(std::string_view command);

/// Keys of the flags that only single runs take, not studies: flags for what is written and printed.
std::span<const std::string_view> output_flags();

}  // namespace podsim::studies::plan
