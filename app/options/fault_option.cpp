// SPDX-License-Identifier: Apache-2.0
#include "app/options/fault_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <string>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "noc/whole_part.h"

namespace podsim::app::options {
namespace {

constexpr std::int64_t max_fault_seed = std::int64_t(1) << 40;

}  // namespace

void add_fault_option(CLI::App& command, FaultFlags& flags) {
  command
      .add_option_function<std::vector<std::string>>(
          "--fault",
          [&flags](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              base::host::locate_errors("--fault", text, [&] { flags.faults.push_back(noc::parse_fault(text)); });
            }
          },
          "dead-link:(0,0)x+, slow-link:(0,0)x+:0.5, dead-chip:(1,1),\nslow-chip:(1,1):0.8 (also slow-clock, "
          "slow-hbm), "
          "slow-host:0:0.5,\nbit-errors:1e-12, stalls:0.2, jitter:5us (also host-jitter),\nspeeds:normal:0.01; may be "
          "repeated")
      ->option_text("FAULT")
      ->allow_extra_args(false);
}

void add_fault_seed_option(CLI::App& command, FaultFlags& flags) {
  command
      .add_option_function<std::string>(
          "--fault-seed",
          [&flags](const std::string& text) {
            flags.seed = std::uint64_t(base::host::parse_whole_number("--fault-seed", text, 0, max_fault_seed));
          },
          "Of what is random in the faults: jitter and speeds [1]")
      ->option_text("N");
}

noc::Faults resolve_faults(const FaultFlags& flags, const noc::Topology& slice, std::int64_t host_chips) {
  const noc::FaultContext context{host_chips, flags.seed};
  for (const noc::Fault& fault : flags.faults) {
    base::host::locate_errors("--fault", noc::to_string(fault),
                              [&] { static_cast<void>(noc::Faults(slice, std::span(&fault, 1), context)); });
  }
  return {slice, flags.faults, context};
}

void refuse_slow_host(const noc::Fault& fault, const std::string& why, const std::string& hint) {
  const std::string text = noc::to_string(fault);
  throw base::InputError({base::Diagnostic::Severity::error, why + ": a slow host changes nothing",
                          base::host::argument_location("--fault", text), hint});
}

void refuse_dead_chips(const FaultFlags& flags, const noc::Faults& faults, const noc::Topology& slice) {
  const std::vector<noc::NodeId> dead = faults.dead_chips();
  if (dead.empty()) return;
  const auto named = std::ranges::find(flags.faults, noc::Fault::Kind::dead_chip, &noc::Fault::kind);
  base::host::locate_errors("--fault", noc::to_string(*named), [&] {
    throw base::InputError(
        fmt::format("a program needs all chips of its slice, and chip {} is dead", slice.name(dead.front())),
        fmt::format("the largest part that is whole is {}", noc::to_string(noc::whole_part(slice, dead))));
  });
}

}  // namespace podsim::app::options
