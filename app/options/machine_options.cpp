// SPDX-License-Identifier: Apache-2.0
#include "app/options/machine_options.h"

#include <CLI/CLI.hpp>

namespace podsim::app::options {

void add_machine_option(CLI::App& command, workloads::machines::MachineChoice& choice) {
  command
      .add_option(
          "--machine", choice.machine,
          "A built-in machine, tpu-v2, tpu-v3 [default], tpu-v3-hbm3,\ntpu-v5e or tpu-v6e, or a machine file (.toml)")
      ->option_text("MACHINE");
}

void add_set_option(CLI::App& command, workloads::machines::MachineChoice& choice) {
  command
      .add_option("--set", choice.assignments,
                  "Change a value of the machine, such as\nici.link_rate='164 GB/s'; may be repeated")
      ->type_name("KEY=VALUE")
      ->option_text("KEY=VALUE")
      ->allow_extra_args(false);
}

}  // namespace podsim::app::options
