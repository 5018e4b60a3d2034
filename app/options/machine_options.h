// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/machines/machine_choice.h"

namespace CLI {
class App;
}

/// The flags that choose a machine, --machine and --set, shared by the commands that need one. `choice` must outlive
/// the parsing.
namespace podsim::app::options {

void add_machine_option(CLI::App& command, workloads::machines::MachineChoice& choice);
void add_set_option(CLI::App& command, workloads::machines::MachineChoice& choice);

}  // namespace podsim::app::options
