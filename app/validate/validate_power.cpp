// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validate_power.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/options/limit_option.h"
#include "app/output/partial_result.h"
#include "app/validate/simulated_command.h"
#include "base/host/interrupt.h"
#include "base/progress.h"
#include "hw/core_units.h"
#include "hw/energy/static_power.h"
#include "validation/power/power_fit.h"
#include "workloads/machines/machine_choice.h"

namespace podsim::app::validate {
namespace {

using validation::power::PowerTerms;
using validation::power::PublishedPower;
using validation::power::SimulatedPower;

bool is_unit(const std::string& part) {
  bool found = false;
  hw::CoreUnits::for_each([&](auto kind) { found |= part == decltype(kind)::type::names.name; });
  return found;
}

/// The terms of a step as its JSON has them; at a published rate they are those of a step that takes as long as its
/// FLOPs then do.
PowerTerms power_terms(const nlohmann::json& run, const PublishedPower& row, const hw::Machine& machine) {
  const nlohmann::json& energy = run.at("energy");
  const double chips = run.at("chips");
  double seconds = run.at("step_time_s");
  if (row.tflops > 0) {
    seconds = run.at("flops_per_core_step").get<double>() * double(machine.cores_per_chip) / (row.tflops * 1e12);
  }
  PowerTerms terms{.host = row.with_host ? machine.site.host_share : 0};
  const double supplies = hw::energy::sum(hw::energy::supply_watts(machine));
  terms.die = energy.at("chip_always_w").get<double>() - supplies;
  terms.others = supplies;
  if (row.figure == validation::power::PowerOf::nothing) return terms;
  for (const auto& [part, joules] : energy.at("parts").items()) {
    (is_unit(part) ? terms.units : terms.others) += joules.at("events_j").get<double>() / chips / seconds;
  }
  return terms;
}

/// Each command is simulated once.
SimulatedPower simulated_power(PublishedPower row, std::map<std::vector<std::string>, SimulatedCommand>& known) {
  SimulatedPower power{std::move(row), {}, {}};
  workloads::machines::MachineChoice choice;
  choice.machine = power.published.machine;
  const hw::Machine machine = hw::read_machine(choice.load());
  for (const std::vector<std::string>& words : power.published.commands) {
    const auto [command, is_new] = known.try_emplace(words);
    if (is_new) command->second = simulated_command(words);
    if (command->second.problem.empty()) {
      power.steps.push_back(power_terms(command->second.json, power.published, machine));
    } else {
      power.problems.push_back(words[1] + ": " + command->second.problem);
    }
  }
  return power;
}

void run_validate_power(bool json) {
  base::host::throw_on_interrupt();
  std::vector<PublishedPower> rows = validation::power::published_power();
  std::vector<SimulatedPower> powers;
  std::map<std::vector<std::string>, SimulatedCommand> known;
  base::Progress progress("simulating");
  output::publish(
      json,
      [&] {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          base::host::end_if_interrupted(fmt::format("before figure {} of {}", i + 1, rows.size()));
          progress.update(double(i) / double(rows.size()), rows[i].machine);
          powers.push_back(simulated_power(std::move(rows[i]), known));
        }
      },
      [&] { return json ? validation::power::power_json(powers) : validation::power::power_text(powers); }, {});
}

}  // namespace

void add_validate_power(CLI::App& validate) {
  auto json = std::make_shared<bool>(false);
  CLI::App* power = validate.add_subcommand("power", "Published watts of chips and runs, each held to steps");
  options::add_limit_option(*power);
  power->add_flag("--json", *json, "One JSON object on stdout");
  power->footer("Example:\n  podsim validate power");
  power->callback([json] { run_validate_power(*json); });
}

}  // namespace podsim::app::validate
