// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/service_level.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/diagnostic.h"
#include "base/dimensional.h"
#include "base/host/arguments.h"
#include "base/units.h"

namespace podsim::workloads::serving {
namespace {

constexpr const char* level_example = "such as 'ttft<500ms,tpot<50ms' or 'latency<100ms'";

bool at_most(double value, const std::optional<double>& limit) { return !limit || value <= *limit; }

}  // namespace

RequestTimes times_of(const Request& request, const Served& served) {
  const auto since = [&](Nanoseconds time) { return goodput::seconds(time - request.arrival); };
  RequestTimes times{since(served.admitted), since(served.first_token), 0, since(served.finish)};
  if (request.output > 1) {
    times.per_token = goodput::seconds(served.finish - served.first_token) / double(request.output - 1);
  }
  return times;
}

bool ServiceLevel::met(const RequestTimes& times) const {
  return at_most(times.first_token, ttft) && at_most(times.per_token, tpot) && at_most(times.latency, latency);
}

std::string ServiceLevel::text() const {
  std::string text;
  for (const auto& [name, limit] : {std::pair("ttft", ttft), {"tpot", tpot}, {"latency", latency}}) {
    if (!limit) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} < {}", name, base::to_string(base::Duration(*limit)));
  }
  return text;
}

ServiceLevel parse_service_level(const std::string& flag, std::string_view text) {
  ServiceLevel level;
  const std::vector<std::string> names{"ttft", "tpot", "latency"};
  const std::array<std::optional<double>*, 3> limits{&level.ttft, &level.tpot, &level.latency};
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const auto fail = [&](std::string message, std::string hint, std::size_t offset, std::size_t length) {
      throw base::InputError({base::Diagnostic::Severity::error, std::move(message),
                              base::host::argument_location(flag, text, begin + offset, length), std::move(hint)});
    };
    const std::size_t sign = part.find('<');
    if (sign == std::string_view::npos) {
      fail(fmt::format("'{}' is not a limit", part), level_example, 0, part.size());
    }
    std::string name(part.substr(0, sign));
    std::erase(name, ' ');
    std::size_t index = 0;
    while (index < names.size() && names[index] != name) ++index;
    if (index == names.size()) {
      const std::string near = base::did_you_mean(name, names);
      fail(fmt::format("'{}' is not a time of a request", name), near.empty() ? "one of: ttft, tpot, latency" : near, 0,
           sign);
    }
    if (*limits[index]) fail(fmt::format("'{}' has two limits", name), "", 0, sign);
    const std::size_t value = std::min(part.find_first_not_of(' ', sign + 1), part.size());
    const base::Dimensional limit = base::parse_dimensional(
        part.substr(value), base::host::argument_location(flag, text, begin + value, part.size() - value));
    if (limit.kind != base::Dimensional::Kind::duration || limit.si <= 0) {
      fail(fmt::format("'{}' is not a time above 0", part.substr(value)), level_example, value, part.size() - value);
    }
    *limits[index] = limit.si;
    begin = end + 1;
  }
  return level;
}

}  // namespace podsim::workloads::serving
