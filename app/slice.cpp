// SPDX-License-Identifier: Apache-2.0
#include "app/slice.h"

#include <charconv>
#include <string_view>
#include <vector>

#include "app/arguments.h"
#include "base/diagnostic.h"
#include "noc/slice.h"

namespace podsim::app {
namespace {

constexpr std::int64_t largest_slice = 1 << 16;  // chips of a study

[[noreturn]] void malformed(const std::string& text, std::size_t column, std::size_t length) {
  throw base::InputError(base::Diagnostic{base::Diagnostic::Severity::error, "'" + text + "' is not a slice",
                                          argument_location("--slice", text, column, length),
                                          "chips per dimension joined by 'x', such as 4x4 or 128x32"});
}

}  // namespace

std::vector<std::int64_t> parse_sizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  std::size_t begin = 0;
  while (true) {
    std::size_t end = std::min(text.find('x', begin), text.size());
    std::int64_t size = 0;
    auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, size);
    bool whole = error == std::errc() && rest == text.data() + end && size > 0;
    if (!whole) malformed(text, begin, end - begin);
    sizes.push_back(size);
    if (end == text.size()) return sizes;
    begin = end + 1;
  }
}

noc::Topology parse_slice(const std::string& text, const hw::Machine& machine) {
  std::vector<std::int64_t> sizes = parse_sizes(text);
  noc::PodShape pod{machine.pod.dimensions, machine.pod.pods};
  if (std::string problem = noc::slice_problem(pod, sizes); !problem.empty()) {
    throw base::InputError(base::Diagnostic{base::Diagnostic::Severity::error,
                                            machine.name + " cannot form a slice of " + text + ": " + problem,
                                            argument_location("--slice", text), ""});
  }
  return noc::slice_topology(pod, sizes);
}

noc::Topology parse_any_slice(const std::string& text, const hw::Machine& machine, std::string& warning) {
  const std::vector<std::int64_t> sizes = parse_sizes(text);
  const noc::PodShape pod{machine.pod.dimensions, machine.pod.pods};
  if (const std::string problem = noc::slice_problem(pod, sizes); !problem.empty()) {
    warning = machine.name + " cannot form a slice of " + text + ": " + problem;
  }
  std::int64_t chips = 1;
  for (std::int64_t size : sizes) {
    if (size > largest_slice / chips || int(sizes.size()) > noc::max_dimensions) malformed(text, 0, text.size());
    chips *= size;
  }
  return noc::hypothetical_topology(pod, sizes);
}

}  // namespace podsim::app
