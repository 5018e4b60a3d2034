// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

namespace podsim::app::command_line {
namespace {

/// False for commands and options of the group "", which help does not show.
bool is_shown(const std::string& group) { return !group.empty(); }

/// A description as one line, without the default in brackets.
std::string summary(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, text.rfind(" ["));
}

/// Reads a command line up to the cursor from left to right, then completes the word at the cursor.
class CommandLine {
 public:
  explicit CommandLine(const CLI::App& program) : command_(&program) {}

  void take(const std::string& word) {
    if (values_left_ > 0) {
      --values_left_;
    } else if (word.starts_with("-") && word.size() > 1) {
      take_flag(word);
    } else if (const CLI::App* command = subcommand(word)) {
      command_ = command;
      positionals_.clear();
    } else if (command_->get_parent() != nullptr ||
               word != "help") {  // the words after `podsim help` are completed as those after `podsim`
      positionals_.push_back(word);
    }
  }

  options::FlagValues complete(const std::string& current) const {
    if (values_left_ > 0) return beginning_with(options::values_of(*flag_, current, positionals_), current, "");
    const std::size_t equals = current.find('=');
    if (current.starts_with("--") && equals != std::string::npos) {
      const CLI::Option* option = command_->get_option_no_throw(current.substr(0, equals));
      if (option == nullptr || option->get_items_expected_max() == 0) return {};
      const std::string value = current.substr(equals + 1);
      return beginning_with(options::values_of(*option, value, positionals_), current, current.substr(0, equals + 1));
    }
    if (current.starts_with("-")) return beginning_with(flags(), current, "");
    return beginning_with(arguments(current), current, "");
  }

 private:
  const CLI::App* subcommand(const std::string& name) const {
    for (const CLI::App* command : command_->get_subcommands({})) {
      if (command->get_name() == name) return command;
    }
    return nullptr;
  }

  void take_flag(const std::string& word) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const CLI::Option* option = command_->get_option_no_throw(word.substr(0, equals));
    if (option == nullptr) return;
    if (option->get_expected_max() <= 1) given_.insert(option);
    if (equals < word.size() || !options::takes_next_word(*option)) return;
    flag_ = option;
    values_left_ = std::max(1, option->get_items_expected_min());
  }

  options::FlagValues flags() const {
    options::FlagValues found;
    for (const CLI::Option* option : command_->get_options()) {
      if (option->get_positional() || given_.contains(option) || !is_shown(option->get_group())) continue;
      const std::string name =
          option->get_lnames().empty() ? "-" + option->get_snames().front() : "--" + option->get_lnames().front();
      const bool only_joined = option->get_items_expected_max() > 0 && !options::takes_next_word(*option);
      found.words.push_back({name, summary(option->get_description())});
      if (only_joined) found.words.push_back({name + "=", summary(option->get_description())});
    }
    return found;
  }

  options::FlagValues arguments(const std::string& current) const {
    options::FlagValues found;
    for (const CLI::App* command : command_->get_subcommands({})) {
      if (is_shown(command->get_group()))
        found.words.push_back({command->get_name(), summary(command->get_description())});
    }
    int before = 0;
    for (const CLI::Option* option : command_->get_options()) {
      if (!option->get_positional()) continue;
      before += std::max(1, option->get_items_expected_max());
      if (before <= int(positionals_.size())) continue;
      options::FlagValues values = options::values_of(*option, current, positionals_);
      found.words.insert(found.words.end(), values.words.begin(), values.words.end());
      found.paths = values.paths;
      return found;
    }
    return found.words.empty() ? flags() : found;
  }

  static options::FlagValues beginning_with(options::FlagValues values, const std::string& current,
                                            const std::string& prefix) {
    for (options::NamedWord& word : values.words) word.word = prefix + word.word;
    std::erase_if(values.words, [&](const options::NamedWord& word) { return !word.word.starts_with(current); });
    return values;
  }

  const CLI::App* command_;
  std::vector<std::string> positionals_;  ///< positionals of command_ read so far
  std::set<const CLI::Option*> given_;
  const CLI::Option* flag_ = nullptr;
  int values_left_ = 0;  ///< values that flag_ still takes
};

}  // namespace

options::FlagValues complete(const CLI::App& program, const std::vector<std::string>& words) {
  CommandLine line(program);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) line.take(words[i]);
  return line.complete(words.empty() ? "" : words.back());
}

std::string completion_lines(const options::FlagValues& completions) {
  std::string lines;
  for (const auto& [word, description] : completions.words) {
    lines += word + (description.empty() ? "" : "\t" + description) + "\n";
  }
  if (completions.paths == options::FlagValues::Paths::files) lines += ":files\n";
  if (completions.paths == options::FlagValues::Paths::folders) lines += ":folders\n";
  return lines;
}

}  // namespace podsim::app::command_line
