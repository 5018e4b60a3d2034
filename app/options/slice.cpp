// SPDX-License-Identifier: Apache-2.0
#include "app/options/slice.h"

#include <fmt/format.h>

#include <vector>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "noc/slice.h"

namespace podsim::app::options {
namespace {

constexpr std::int64_t largest_slice = 1 << 16;  // chips, for studies of the network

}  // namespace

std::vector<std::int64_t> parse_sizes(const std::string& text) {
  return noc::parse_slice_sizes(text, base::host::argument_location("--slice", text));
}

noc::Topology parse_slice(const std::string& text, const sw::TargetMachine& machine) {
  std::vector<std::int64_t> sizes = parse_sizes(text);
  noc::PodShape pod{machine.pod.dimensions, machine.pod.pods};
  if (std::string problem = noc::slice_problem(pod, sizes); !problem.empty()) {
    throw base::InputError(base::Diagnostic{base::Diagnostic::Severity::error,
                                            machine.name + " cannot form a slice of " + text + ": " + problem,
                                            base::host::argument_location("--slice", text), ""});
  }
  return noc::slice_topology(pod, sizes);
}

noc::Topology parse_any_slice(const std::string& text, const sw::TargetMachine& machine, std::string& warning) {
  const std::vector<std::int64_t> sizes = parse_sizes(text);
  const noc::PodShape pod{machine.pod.dimensions, machine.pod.pods};
  if (const std::string problem = noc::slice_problem(pod, sizes); !problem.empty()) {
    warning = machine.name + " cannot form a slice of " + text + ": " + problem;
  }
  std::int64_t chips = 1;
  for (std::int64_t size : sizes) {
    if (size > largest_slice / chips || int(sizes.size()) > noc::max_dimensions) {
      throw base::InputError(base::Diagnostic{base::Diagnostic::Severity::error, "'" + text + "' is not a slice",
                                              base::host::argument_location("--slice", text),
                                              fmt::format("at most {} chips", largest_slice)});
    }
    chips *= size;
  }
  return noc::hypothetical_topology(pod, sizes);
}

}  // namespace podsim::app::options
