// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace podsim::app {

/// The manual as one page, podsim(1), in the macros of man(7): the sections written by hand (manual_sections.h) around
/// every command with its arguments, flags and examples as the tree that parses command lines has them.
std::string manual_page(const CLI::App& program);

/// `text` so that roff prints it as it stands: every "-" a hyphen-minus that can be copied, no line a request.
std::string roff_text(std::string_view text);

}  // namespace podsim::app
