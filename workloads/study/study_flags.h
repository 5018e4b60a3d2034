// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The flags of `run` and `collective` that a study may set, under their names with _ for -.
namespace podsim::workloads {

/// How a value becomes words of the command line.
enum class FlagForm {
  argument,  ///< the word alone, at its place
  value,     ///< the flag and the word
  repeated,  ///< the flag with each of the words that blanks separate
  toggle,    ///< the flag alone where the value is "on"
};

/// What a value is made of.
enum class FlagType { text, choice, whole, bytes, file };

struct StudyFlag {
  std::string key;   ///< "batch_per_core"
  std::string word;  ///< "--batch-per-core"; "" for an argument
  FlagForm form = FlagForm::value;
  FlagType type = FlagType::text;
  std::int64_t least = 0, most = 0;       ///< of a whole number
  std::vector<std::string> choices = {};  ///< of a choice
  /// What else is checked of a text on its own: base::InputError, without a place or with one in the text.
  std::function<void(const std::string& text)> check = {};
};

/// In the order in which a point's command line has them.
const std::vector<StudyFlag>& study_flags(std::string_view command);

/// Nothing when `key` is none of them.
const StudyFlag* find_flag(std::string_view command, std::string_view key);

/// Checks one value on its own, whatever machine and slice it meets. base::InputError, without a place or with one in
/// the text.
void check_flag_value(const StudyFlag& flag, const std::string& text);

/// Keys without which the command does not run.
std::vector<std::string> required_flags(std::string_view command);

/// Flags of the commands that are of single runs, not of studies: what they write and print.
std::span<const std::string_view> output_flags();

}  // namespace podsim::workloads
