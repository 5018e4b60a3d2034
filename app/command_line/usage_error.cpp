// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/usage_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "base/host/arguments.h"

namespace podsim::app::command_line {
namespace {

using Words = std::vector<std::string>;

std::string flag_of(const std::string& word) { return word.substr(0, word.find('=')); }

class UsageError {
 public:
  UsageError(const CLI::App& program, const CLI::ParseError& error, const Words& words)
      : program_(program), error_(error), words_(words), command_(&program) {
    while (!command_->get_subcommands().empty()) {
      command_ = command_->get_subcommands().front();
      path_ += (path_.empty() ? "" : " ") + command_->get_name();
      ++depth_;
    }
  }

  base::Diagnostic diagnostic() const {
    if (command_->get_require_subcommand_min() > 0) return without_command();
    if (dynamic_cast<const CLI::ExtrasError*>(&error_) != nullptr) return extra_word();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error_) != nullptr) return wrong_number_of_values();
    return at_end(error_.what());
  }

 private:
  base::Diagnostic at(std::size_t word, std::string message, std::string hint) const {
    return {base::Diagnostic::Severity::error, std::move(message), base::host::word_location(words_, word),
            hint.empty() ? see_help() : std::move(hint)};
  }

  base::Diagnostic at_end(std::string message) const {
    return {base::Diagnostic::Severity::error, std::move(message), {}, see_help()};
  }

  std::string see_help() const {
    return fmt::format("see '{}{}{} --help'", program_.get_name(), path_.empty() ? "" : " ", path_);
  }

  Words commands() const {
    Words names;
    for (const CLI::App* command : command_->get_subcommands({})) names.push_back(command->get_name());
    return names;
  }

  Words flags() const {
    Words names;
    for (const CLI::Option* option : command_->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
  }

  base::Diagnostic without_command() const {
    if (words_.size() <= depth_) return at_end(fmt::format("which command? one of: {}", fmt::join(commands(), ", ")));
    const std::string& word = words_[depth_];
    if (word.starts_with("-")) return unknown_flag(depth_);
    std::string hint = base::did_you_mean(word, commands());
    return at(depth_, fmt::format("'{}' is not a command{}{}", word, path_.empty() ? "" : " of ", path_),
              hint.empty() ? fmt::format("one of: {}", fmt::join(commands(), ", ")) : hint);
  }

  base::Diagnostic unknown_flag(std::size_t word) const {
    const std::string flag = flag_of(words_[word]);
    return at(word, fmt::format("'{}' is not a flag of {}", flag, path_.empty() ? "podsim" : path_),
              base::did_you_mean(flag, flags()));
  }

  /// The error for arguments that the parser did not recognise. If one is a mistyped flag, the others may be its
  /// values.
  base::Diagnostic extra_word() const {
    const Words extras = program_.remaining(true);
    std::optional<std::size_t> first;
    for (std::size_t i = 2; i < words_.size(); ++i) {
      if (std::ranges::find(extras, words_[i]) == extras.end()) continue;
      if (words_[i].starts_with("-")) return unknown_flag(i);
      if (!first) first = i;
    }
    if (!first) return at_end(error_.what());
    return at(*first, fmt::format("'{}' is one argument too many", words_[*first]), "");
  }

  /// The error for a flag at the end of the line without its value, or given twice.
  base::Diagnostic wrong_number_of_values() const {
    const std::string message = error_.what();
    const std::string flag = message.substr(0, message.find(':'));
    for (std::size_t i = words_.size(); i-- > 2;) {
      const CLI::Option* option = command_->get_option_no_throw(flag_of(words_[i]));
      if (option == nullptr || option->get_name() != flag) continue;
      if (option->count() > 1) return at(i, fmt::format("'{}' is given more than once", flag), "");
      return at(i, fmt::format("'{}' needs a value, {}", flag, option->get_option_text()), "");
    }
    return at_end(message);
  }

  const CLI::App& program_;
  const CLI::ParseError& error_;
  const Words& words_;
  const CLI::App* command_;  ///< innermost command in the line
  std::size_t depth_ = 1;    ///< number of words up to it
  std::string path_;         ///< names of the commands up to it, "kernel matmul"
};

}  // namespace

base::Diagnostic usage_diagnostic(const CLI::App& program, const CLI::ParseError& error,
                                  const std::vector<std::string>& words) {
  return UsageError(program, error, words).diagnostic();
}

}  // namespace podsim::app::command_line
