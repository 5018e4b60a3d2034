// SPDX-License-Identifier: Apache-2.0
#include "app/run/files/trip_counts.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/text/glob.h"

namespace podsim::app::run::files {

namespace {

constexpr std::int64_t max_trips = 1'000'000'000;

/// The names of a module's loops, for messages.
std::vector<std::string> loop_names(const hlo::Module& module) {
  std::vector<std::string> names;
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) {
      if (instruction.opcode == hlo::Opcode::while_loop) names.push_back(instruction.name);
    }
  }
  return names;
}

/// The loops that a pattern matches.
std::vector<hlo::Instruction*> loops_named(hlo::Module& module, const std::string& pattern) {
  std::vector<hlo::Instruction*> loops;
  for (hlo::Computation& computation : module.computations) {
    for (hlo::Instruction& instruction : computation.instructions) {
      const bool named =
          base::text::glob_match(pattern, instruction.name) || base::text::glob_match(pattern, instruction.op_name);
      if (instruction.opcode == hlo::Opcode::while_loop && named) loops.push_back(&instruction);
    }
  }
  return loops;
}

}  // namespace

void add_trips_option(CLI::App& command, std::vector<std::string>& trips) {
  command
      .add_option("--trips", trips,
                  "Passes of a loop of a file whose number depends on data, by\nits name or op_name, such as "
                  "'while.7=20' [1]; may be repeated")
      ->option_text("NAME=N")
      ->allow_extra_args(false);
}

void set_trip_counts(hlo::Module& module, const std::vector<std::string>& trips) {
  for (const std::string& text : trips) {
    base::host::locate_errors("--trips", text, [&] {
      const std::size_t equals = text.rfind('=');
      if (equals == std::string::npos || equals == 0) {
        throw base::InputError(fmt::format("'{}' is not NAME=N", text), "such as 'while.7=20'");
      }
      const std::string pattern = text.substr(0, equals);
      const std::int64_t count = base::host::parse_whole_number("--trips", text.substr(equals + 1), 1, max_trips);
      const std::vector<hlo::Instruction*> loops = loops_named(module, pattern);
      if (loops.empty()) {
        const std::vector<std::string> names = loop_names(module);
        const std::string nearest = base::did_you_mean(pattern, names);
        throw base::InputError(fmt::format("no loop matches '{}'", pattern),
                               names.empty() ? "the program has no loop" : nearest);
      }
      for (hlo::Instruction* loop : loops) {
        if (loop->trip_count >= 0) {
          throw base::InputError(fmt::format("{} runs {} times by its text", loop->name, loop->trip_count));
        }
        loop->trip_count = count;
      }
    });
  }
}

}  // namespace podsim::app::run::files
