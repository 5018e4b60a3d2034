// SPDX-License-Identifier: Apache-2.0
#include "app/serve/slices_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/serve/serve_run.h"
#include "app/serve/slice_walk.h"
#include "app/serve/step_programs.h"
#include "base/diagnostic.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "sw/driver/compile.h"

namespace podsim::app::serve {

using report::serving::SlicesReport;

namespace {

void check_slices(const ServeOptions& options) {
  if (!options.level) throw base::InputError("--slices finds the smallest that meets a level", "--slo 'ttft<2s'");
  if (!options.run.slice.empty()) throw base::InputError("--slices has the slices", "leave out --slice");
  if (!options.result_folder.empty()) {
    throw base::InputError("several slices have no folder of results", "leave out -o; --json prints the figures");
  }
}

/// Serves the requests on a slice, or says in its row why it does not. `fault` becomes the first error, apart from
/// memory that is too small.
SlicesReport::Slice tried(const ServeOptions& options, const std::string& slice,
                          std::optional<base::InputError>& fault) {
  ServeOptions one = options;
  one.run.slice = slice;
  SlicesReport::Slice row{.name = slice};
  try {
    row.served = run_serve(one);
    row.chips = row.served->chips * row.served->replicas();
  } catch (const sw::driver::OutOfMemory& error) {
    row.refusal = error.diagnostics()[0].message;
  } catch (const base::InputError& error) {
    if (!fault) fault = error;
    row.refusal = error.diagnostics()[0].message;
  }
  base::host::throw_on_interrupt();
  return row;
}

/// From the fewest chips on, up to those with as many as the first that meets the level.
void walk_slices(const ServeOptions& options, SlicesReport& report, std::optional<base::InputError>& fault) {
  const sw::TargetMachine machine = sw::read_target(options.run.machine.load());
  std::optional<SliceBounds> bounds;
  if (has_tokens(options.run.workload)) bounds.emplace(options, machine);
  std::int64_t most_chips = 0;
  for (const WalkedSlice& slice : slices_of_pod(machine)) {
    if (most_chips > 0 && slice.chips > most_chips) return;
    const auto hopeless = bounds ? bounds->hopeless(slice.chips) : std::nullopt;
    report.slices.push_back(hopeless ? SlicesReport::Slice{.name = slice.name, .refusal = *hopeless}
                                     : tried(options, slice.name, fault));
    report.slices.back().chips = slice.chips * (options.replicas + options.decode_replicas);
    if (report.meets(report.slices.back())) most_chips = slice.chips;
  }
}

}  // namespace

SlicesReport run_slices(const ServeOptions& options) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  check_slices(options);
  SlicesReport report;
  report.walked = options.walk_slices;
  if (options.level_share) report.share = *options.level_share;
  std::optional<base::InputError> fault;
  if (options.walk_slices) {
    walk_slices(options, report, fault);
  } else {
    for (const std::string& slice : options.slices) report.slices.push_back(tried(options, slice, fault));
  }
  const bool any_served = std::ranges::any_of(report.slices, [](const auto& of) { return of.served.has_value(); });
  if (!any_served && fault) throw base::InputError(*fault);
  report.wall_s = base::host::seconds_since(begin);
  return report;
}

}  // namespace podsim::app::serve
