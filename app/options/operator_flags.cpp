// SPDX-License-Identifier: Apache-2.0
#include "app/options/operator_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/text/counted.h"

namespace podsim::app::options {

void OperatorFlags::add_to(CLI::App& command) {
  constexpr std::int64_t max_devices = 64, max_batch = 1 << 20;
  CLI::Option* share = command.add_option_function<std::string>(
      "--place-operators",
      [this](const std::string& text) {
        devices = base::host::parse_whole_number("--place-operators", text, 2, max_devices);
      },
      "Share the operations of a step out to N cores, those of a\nreplica, so that the simulated step is shortest; the "
      "slice has\nas many replicas as fit [none]");
  share->option_text("N");
  command
      .add_option_function<std::string>(
          "--batch-per-replica",
          [this](const std::string& text) {
            batch = base::host::parse_whole_number("--batch-per-replica", text, 1, max_batch);
          },
          "Samples of the cores of --place-operators together [those per\ncore for each, or the workload's own]")
      ->option_text("N")
      ->needs(share)
      ->excludes("--batch-per-core");
}

std::int64_t OperatorFlags::replicas(std::int64_t cores) const {
  if (!devices) return cores;
  if (cores % *devices != 0) {
    base::host::locate_errors("--place-operators", std::to_string(*devices), [&] {
      throw base::InputError(fmt::format("{} are not a multiple of {}", base::text::counted(cores, "core"), *devices),
                             "choose a slice with --slice");
    });
  }
  return cores / *devices;
}

}  // namespace podsim::app::options
