// SPDX-License-Identifier: Apache-2.0
#include "app/options/limit_option.h"

#include <CLI/CLI.hpp>
#include <string>

#include "base/diagnostic.h"
#include "base/dimensional.h"
#include "base/host/arguments.h"
#include "base/host/interrupt.h"

namespace podsim::app::options {
namespace {

using Kind = base::Dimensional::Kind;

constexpr double shortest_s = 1e-3, longest_s = 1e8, max_cycles = 1e12;

base::Dimensional parse_limit(const std::string& text, bool cycles) {
  const base::Dimensional limit = base::parse_dimensional(text, base::host::argument_location("--limit", text));
  base::host::locate_errors("--limit", text, [&] {
    if (limit.kind == Kind::duration && limit.si >= shortest_s && limit.si <= longest_s) return;
    if (cycles && limit.kind == Kind::cycles && limit.si >= 1 && limit.si <= max_cycles) return;
    throw base::InputError(
        cycles ? "'" + text + "' is neither a time from 1 ms to 1e8 s nor a number of cycles from 1 to 1e12"
               : "'" + text + "' is not a time from 1 ms to 1e8 s",
        cycles ? "such as '30 s' or '1000000 cycles'" : "such as '30 s'");
  });
  return limit;
}

/// Commands that keep partial results change what an interruption does when they begin.
void limit(double seconds) {
  base::host::throw_on_interrupt();
  base::host::limit_time(seconds);
}

}  // namespace

void add_limit_option(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--limit", [](const std::string& text) { limit(parse_limit(text, false).si); },
          "End after so long on this host, such as '30 s', and keep\nwhat is done, as after a Ctrl-C [none]")
      ->option_text("TIME");
}

void add_limit_option(CLI::App& command, base::Cycles& cycles) {
  command
      .add_option_function<std::string>(
          "--limit",
          [&cycles](const std::string& text) {
            const base::Dimensional most = parse_limit(text, true);
            if (most.kind == Kind::duration) return limit(most.si);
            cycles = base::Cycles(std::int64_t(most.si));
          },
          "End after so long on this host, such as '30 s', and keep\nwhat is done, as after a Ctrl-C; or fail after "
          "this many\nsimulated cycles, such as '1000000 cycles' ['1e12 cycles']")
      ->option_text("TIME|CYCLES");
}

}  // namespace podsim::app::options
