// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "app/command_line/manual_sections.h"
#include "base/version.h"

namespace podsim::app::command_line {
namespace {

/// A fixed date, so that equal programs print equal pages. Without it the page would have the date at which it is
/// printed.
constexpr const char* date = "2026-11-22";

bool is_blank(std::string_view text) { return text.find_first_not_of(' ') == std::string_view::npos; }

/// Joins the lines of a description, which are broken for --help.
std::string joined_lines(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

std::string bold(std::string_view text) { return "\\fB" + roff_text(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff_text(text) + "\\fR"; }

/// "--vcd FILE", "-o, --output DIR".
std::string flag_head(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "" : ", ") + bold("-" + name);
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "" : ", ") + bold("--" + name);
  const std::string form = option.get_option_text();
  if (option.get_items_expected_max() == 0 || is_blank(form)) return names;
  return names + (form.starts_with("[=") ? "" : " ") + italic(form);
}

void add_entry(std::string& page, const std::string& head, const std::string& description) {
  page += ".TP\n" + head + "\n" + roff_text(joined_lines(description)) + "\n";
}

/// Adds a footer (examples and lists) with its lines unchanged.
void add_footer(std::string& page, const std::string& footer) {
  if (is_blank(footer)) return;
  page += ".PP\n.nf\n";
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) page += line.empty() ? ".sp\n" : roff_text(line) + "\n";
  page += ".fi\n";
}

std::string synopsis(const std::string& path, const CLI::App& command) {
  std::string text = path;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) text += " " + option->get_name(true);
  }
  return text;
}

void add_command(std::string& page, const std::string& path, const CLI::App& command) {
  page +=
      ".SS " + roff_text(synopsis(path, command)) + "\n" + roff_text(joined_lines(command.get_description())) + ".\n";
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) add_entry(page, italic(option->get_name(true)), option->get_description());
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || option == command.get_help_ptr() || option->get_group().empty()) continue;
    add_entry(page, flag_head(*option), option->get_description());
  }
  add_footer(page, command.get_footer());
  for (const CLI::App* inner : command.get_subcommands({})) {
    if (!inner->get_group().empty()) add_command(page, path + " " + inner->get_name(), *inner);
  }
}

}  // namespace

std::string roff_text(std::string_view text) {
  std::string escaped;
  bool line_begins = true;
  for (char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string manual_page(const CLI::App& program) {
  std::string page = fmt::format(".TH PODSIM 1 {} \"{}\" \"User Commands\"\n", date, base::program_version);
  page += manual_introduction;
  page += ".SH COMMANDS\nEvery command has\n.BR \\-h ,\n.BR \\-\\-help .\nDefaults are in brackets.\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    if (!command->get_group().empty()) add_command(page, "podsim " + command->get_name(), *command);
  }
  return page + manual_conclusion;
}

}  // namespace podsim::app::command_line
