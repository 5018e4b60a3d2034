// SPDX-License-Identifier: Apache-2.0
#include "app/options/compiler_option.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "app/options/flag_values.h"
#include "base/host/arguments.h"

namespace podsim::app::options {

void add_compiler_option(CLI::App& command, std::function<void(const sw::driver::CompilerYear&)> choose,
                         const std::string& fallback) {
  command
      .add_option_function<std::string>(
          "--compiler",
          [choose = std::move(choose)](const std::string& text) {
            base::host::locate_errors("--compiler", text, [&] { choose(sw::driver::compiler_of(text)); });
          },
          "The compiler of a year, by the passes in which measured\nprograms differ: 2018, TensorFlow 1.x, or 2020 [" +
              fallback + "]")
      ->type_name(alternatives(sw::driver::compiler_names()))
      ->option_text("YEAR");
}

}  // namespace podsim::app::options
