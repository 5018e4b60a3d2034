// SPDX-License-Identifier: Apache-2.0
#include "app/serve/slices_run.h"

#include <optional>
#include <utility>

#include "app/serve/serve_run.h"
#include "base/diagnostic.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "sw/driver/compile.h"

namespace podsim::app::serve {

report::serving::SlicesReport run_slices(const ServeOptions& options) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  if (!options.level) throw base::InputError("--slices finds the smallest that meets a level", "--slo 'ttft<2s'");
  if (!options.run.slice.empty()) throw base::InputError("--slices has the slices", "leave out --slice");
  if (!options.result_folder.empty()) {
    throw base::InputError("several slices have no folder of results", "leave out -o; --json prints the figures");
  }
  report::serving::SlicesReport report;
  bool any_served = false;
  std::optional<base::InputError> fault;  // the first, apart from memory that is too small
  if (options.level_share) report.share = *options.level_share;
  for (const std::string& slice : options.slices) {
    ServeOptions one = options;
    one.run.slice = slice;
    report::serving::SlicesReport::Slice row{.name = slice};
    try {
      row.served = run_serve(one);
      row.chips = row.served->chips * row.served->replicas();
      any_served = true;
    } catch (const sw::driver::OutOfMemory& error) {
      row.refusal = error.diagnostics()[0].message;
    } catch (const base::InputError& error) {
      if (!fault) fault = error;
      row.refusal = error.diagnostics()[0].message;
    }
    base::host::throw_on_interrupt();
    report.slices.push_back(std::move(row));
  }
  if (!any_served && fault) throw base::InputError(*fault);
  report.wall_s = base::host::seconds_since(begin);
  return report;
}

}  // namespace podsim::app::serve
