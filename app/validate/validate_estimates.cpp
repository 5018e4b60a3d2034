// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validate_estimates.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/options/byte_amount.h"
#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "app/options/machine_options.h"
#include "app/options/slice.h"
#include "app/output/failed_check.h"
#include "app/output/partial_result.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/progress.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "hw/machine.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "sw/collectives/schedule/collective_estimate.h"

namespace podsim::app::validate {
namespace {

using sw::collectives::Algorithm;
using sw::collectives::CollectiveGroups;
using sw::collectives::CollectiveKind;

constexpr double allowed_error = 0.08, allowed_median = 0.02;
constexpr std::int64_t most_direct_ranks = 512;  ///< every rank sends to every other: the square of it in messages

constexpr std::int64_t most_chips_of_all_sizes = 128;

struct EstimatesCommand {
  workloads::machines::MachineChoice machine;
  std::vector<std::string> slices, sizes;
  std::string csv;
  bool json = false;
  bool spread = true;  ///< the sizes over the cases of large slices
};

struct EstimateCase {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Algorithm algorithm = Algorithm::y_then_x;
  std::string slice, groups;
  std::int64_t bytes = 0;
  double estimate_s = 0, formula_s = 0, simulated_s = 0;

  double error() const { return estimate_s / simulated_s - 1; }
  double formula_error() const { return formula_s / simulated_s - 1; }
};

struct EstimateGrid {
  std::vector<EstimateCase> cases;
  std::size_t turns = 0;  ///< algorithms on groups
  double wall_s = 0;
};

/// Groups of each kind that programs have: all cores, lines of chips, neighbouring cores, cores far apart, pairs.
std::vector<std::string> groups_on(const noc::Topology& slice, int cores, CollectiveKind kind) {
  const std::int64_t all = slice.nodes() * std::int64_t(cores);
  if (kind == CollectiveKind::collective_permute) {
    std::string shift, transpose;
    for (std::int64_t rank = 0; rank < all; ++rank) {
      shift += fmt::format("{}{{{},{}}}", rank == 0 ? "" : ",", rank, (rank + 1) % all);
      transpose += fmt::format("{}{{{},{}}}", rank == 0 ? "" : ",", rank, (rank + all / 2) % all);
    }
    return {"{" + shift + "}", "{" + transpose + "}"};
  }
  std::vector<std::string> groups{fmt::format("[1,{0}]<=[{0}]", all)};
  for (int d = 0; d < slice.dimensions(); ++d) {
    if (slice.size(d) > 1 && slice.size(d) < slice.nodes()) groups.push_back(noc::dimension_name(d));
  }
  if (all % 4 != 0 || all < 16) return groups;
  groups.push_back(fmt::format("[{0},4]<=[{1}]", all / 4, all));
  groups.push_back(fmt::format("[4,{0}]<=[{0},4]T(1,0)", all / 4));
  groups.push_back(fmt::format("[{0},2]<=[2,{0}]T(1,0)", all / 2));
  return groups;
}

CollectiveGroups parsed_groups(const std::string& text, const noc::Topology& slice, int cores, CollectiveKind kind) {
  return kind == CollectiveKind::collective_permute ? CollectiveGroups::parse_pairs(text, slice, cores)
                                                    : CollectiveGroups::parse(text, slice, cores);
}

double simulated_seconds(const hw::Machine& machine, const noc::Topology& slice, const CollectiveGroups& groups,
                         const sw::collectives::schedule::CollectiveRequest& request, Algorithm algorithm,
                         double& formula_s) {
  const auto schedule = std::make_shared<const sw::collectives::schedule::CollectiveSchedule>(
      slice, int(machine.cores_per_chip), groups, request, algorithm,
      sw::collectives::schedule::segment_lengths(machine, request.type));
  formula_s = sw::collectives::schedule::modelled_time(machine, *schedule).si();
  return base::to_duration(sw::collectives::engine::simulate_collective(machine, schedule).duration).si();
}

/// The sizes of a case: all, or every second one in turn.
std::vector<std::int64_t> sizes_of(const std::vector<std::int64_t>& sizes, bool spread, std::size_t turn) {
  if (!spread) return sizes;
  std::vector<std::int64_t> taken;
  for (std::size_t i = turn % 2; i < sizes.size(); i += 2) taken.push_back(sizes[i]);
  return taken;
}

void run_groups(const hw::Machine& machine, const noc::Topology& slice, const std::string& text,
                const std::vector<std::int64_t>& all_sizes, bool spread, CollectiveKind kind,
                sw::collectives::engine::CollectiveTimes& times, EstimateGrid& grid) {
  const CollectiveGroups groups = parsed_groups(text, slice, int(machine.cores_per_chip), kind);
  for (const Algorithm algorithm : sw::collectives::algorithms_for(kind, slice.dimensions())) {
    const auto sizes = sizes_of(all_sizes, spread && slice.nodes() > most_chips_of_all_sizes, grid.turns++);
    const bool direct = sw::collectives::traits(kind).personal && !sw::collectives::goes_by_dimension(algorithm);
    if (direct && groups.largest() > most_direct_ranks) continue;
    for (const std::int64_t bytes : sizes) {
      const sw::collectives::schedule::CollectiveRequest request{kind, sw::ir::ElementType::bf16,
                                                                 std::max<std::int64_t>(1, bytes / 2)};
      EstimateCase one{
          .kind = kind,
          .algorithm = algorithm,
          .slice = noc::to_string(slice),
          .groups = kind == CollectiveKind::collective_permute ? text.substr(0, text.find('}') + 1) + "...}" : text,
          .bytes = bytes};
      one.estimate_s = times.time(slice, groups, request, algorithm).si();
      one.simulated_s = simulated_seconds(machine, slice, groups, request, algorithm, one.formula_s);
      grid.cases.push_back(one);
    }
  }
}

double median_error(std::vector<double> errors) {
  for (double& error : errors) error = std::abs(error);
  if (errors.empty()) return 0;
  const auto middle = errors.begin() + std::ptrdiff_t(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  return *middle;
}

template <class Error>
std::vector<double> errors_of(const std::vector<const EstimateCase*>& cases, Error error) {
  std::vector<double> errors;
  for (const EstimateCase* one : cases) errors.push_back(error(*one));
  return errors;
}

double largest_error(const std::vector<double>& errors) {
  double most = 0;
  for (const double error : errors) most = std::max(most, std::abs(error));
  return most;
}

std::vector<const EstimateCase*> all_cases(const EstimateGrid& grid) {
  std::vector<const EstimateCase*> cases;
  for (const EstimateCase& one : grid.cases) cases.push_back(&one);
  return cases;
}

std::string grid_row(const std::string& name, const std::vector<const EstimateCase*>& cases) {
  const auto estimates = errors_of(cases, [](const EstimateCase& one) { return one.error(); });
  const auto formulas = errors_of(cases, [](const EstimateCase& one) { return one.formula_error(); });
  return fmt::format("{:<34}{:>6}{:>11.2f} %{:>9.2f} %{:>11.1f} %{:>9.1f} %\n", name, cases.size(),
                     100 * median_error(estimates), 100 * largest_error(estimates), 100 * median_error(formulas),
                     100 * largest_error(formulas));
}

std::string grid_text(const EstimateGrid& grid) {
  std::string text = fmt::format("{:<34}{:>6}{:>24}{:>24}\n{:<34}{:>6}{:>13}{:>11}{:>13}{:>11}\n", "", "", "estimate",
                                 "formula", "kind, algorithm", "cases", "median", "largest", "median", "largest");
  for (const CollectiveKind kind : sw::collectives::collective_kinds) {
    for (const Algorithm algorithm : sw::collectives::algorithms) {
      std::vector<const EstimateCase*> cases;
      for (const EstimateCase& one : grid.cases) {
        if (one.kind == kind && one.algorithm == algorithm) cases.push_back(&one);
      }
      if (cases.empty()) continue;
      text += grid_row(fmt::format("{} {}", to_string(kind), to_string(algorithm)), cases);
    }
  }
  return text + grid_row("all", all_cases(grid)) + fmt::format("wall       {:.2f} s\n", grid.wall_s);
}

std::string grid_json(const EstimateGrid& grid) {
  const std::vector<const EstimateCase*> cases = all_cases(grid);
  const auto errors = errors_of(cases, [](const EstimateCase& one) { return one.error(); });
  nlohmann::ordered_json json{{"cases", cases.size()},
                              {"median_error", median_error(errors)},
                              {"largest_error", largest_error(errors)},
                              {"wall_s", grid.wall_s}};
  return base::text::json_text(json, 2) + "\n";
}

std::string grid_csv(const EstimateGrid& grid) {
  std::string text = "kind,algorithm,slice,groups,bytes,estimate_s,formula_s,simulated_s\n";
  for (const EstimateCase& one : grid.cases) {
    text += fmt::format("{},{},{},\"{}\",{},{:.9g},{:.9g},{:.9g}\n", to_string(one.kind), to_string(one.algorithm),
                        one.slice, one.groups, one.bytes, one.estimate_s, one.formula_s, one.simulated_s);
  }
  return text;
}

/// Throws FailedCheck if the estimates are not as close as they have to be.
void check_estimates(const EstimateGrid& grid) {
  const std::vector<const EstimateCase*> cases = all_cases(grid);
  const auto errors = errors_of(cases, [](const EstimateCase& one) { return one.error(); });
  std::string problem;
  if (median_error(errors) > allowed_median)
    problem = fmt::format("the median error is {}", base::text::percent(median_error(errors)));
  for (const EstimateCase* one : cases) {
    if (std::abs(one->error()) <= allowed_error || !problem.empty()) continue;
    problem = fmt::format("{} {} of {} B on {}, groups {}: {} estimated, {} simulated", to_string(one->kind),
                          to_string(one->algorithm), one->bytes, one->slice, one->groups,
                          base::to_string(base::Duration(one->estimate_s)),
                          base::to_string(base::Duration(one->simulated_s)));
  }
  if (!problem.empty()) throw output::FailedCheck({{base::Diagnostic::Severity::error, problem, {}, ""}});
}

void run_validate_estimates(const EstimatesCommand& command) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  const hw::Machine machine = hw::read_machine(command.machine.load());
  std::vector<noc::Topology> slices;
  std::string warning;
  for (const std::string& text : command.slices) slices.push_back(options::parse_any_slice(text, machine, warning));
  std::vector<std::int64_t> sizes;
  for (const std::string& text : command.sizes) sizes.push_back(options::parse_bytes("--bytes", text).value());
  EstimateGrid grid;
  base::Progress progress("simulating");
  output::publish(
      command.json,
      [&] {
        std::size_t done = 0;
        for (const CollectiveKind kind : sw::collectives::collective_kinds) {
          for (const noc::Topology& slice : slices) {
            sw::collectives::engine::CollectiveTimes times(machine);
            for (const std::string& groups : groups_on(slice, int(machine.cores_per_chip), kind)) {
              base::host::end_if_interrupted(fmt::format("after {} cases", grid.cases.size()));
              run_groups(machine, slice, groups, sizes, command.spread, kind, times, grid);
            }
            ++done;
            progress.update(double(done) / double(slices.size() * sw::collectives::collective_kinds.size()),
                            fmt::format("{} on {}", to_string(kind), noc::to_string(slice)));
          }
        }
      },
      [&] {
        grid.wall_s = base::host::seconds_since(begin);
        return command.json ? grid_json(grid) : grid_text(grid);
      },
      {[&] {
        if (!command.csv.empty()) base::host::write_file(command.csv, grid_csv(grid));
      }});
  check_estimates(grid);
}

}  // namespace

void add_validate_estimates(CLI::App& validate) {
  auto options = std::make_shared<EstimatesCommand>();
  CLI::App* estimates =
      validate.add_subcommand("estimates", "Times by which algorithms are chosen, each beside a simulation");
  options->slices = {"2x2", "4x2", "4x4", "8x4", "8x8", "16x8", "16x16", "32x8", "32x32"};
  options->sizes = {"4KiB", "64KiB", "1MiB", "16MiB", "100MiB"};
  estimates->add_option("--slice", options->slices, "Chips per dimension; may be repeated [2x2 to 32x32]")
      ->option_text("AxB")
      ->allow_extra_args(false);
  estimates->add_option("--bytes", options->sizes, "Of a rank's payload; may be repeated [4KiB to 100MiB]")
      ->option_text("N")
      ->allow_extra_args(false);
  options::add_machine_option(*estimates, options->machine);
  options::add_set_option(*estimates, options->machine);
  options::add_limit_option(*estimates);
  estimates->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*estimates, "--csv", options->csv, "Every case with its times");
  estimates->footer("Examples:\n  podsim validate estimates\n  podsim validate estimates --slice 4x4 --bytes 100MiB");
  estimates->callback([options, estimates] {
    options->spread = estimates->count("--bytes") == 0;
    run_validate_estimates(*options);
  });
}

}  // namespace podsim::app::validate
