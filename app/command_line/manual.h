// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace podsim::app::command_line {

/// The manual as one page, podsim(1), in the macros of man(7): the sections written by hand (manual_sections.h), and
/// between them every command with its arguments, flags and examples from the tree that parses command lines.
std::string manual_page(const CLI::App& program);

/// `text` escaped so that roff prints it unchanged: every "-" is a hyphen-minus that can be copied, no line is a
/// request.
std::string roff_text(std::string_view text);

}  // namespace podsim::app::command_line
