// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace podsim::studies::whatif {
namespace {

struct Resource {
  std::string name;
  std::vector<std::string> keys;
};

std::vector<Resource> resources_of(const base::Config& machine) {
  std::vector<Resource> resources{
      {"clock of cores", {"core.clock"}},
      {"bytes of VMEM", {"core.vmem"}},
      {"matrix units", {"mxu.count"}},
      {"vector ALUs", {"vector.alus"}},
      {"vector loads and stores", {"vector.loads", "vector.stores"}},
      {"latency of DMAs", {"dma.read_latency", "dma.write_latency"}},
      {"rate of HBM", {"hbm.channels", "switch.bytes_per_cycle", "dma.outstanding_granules"}},
      {"bytes of HBM", {"hbm.capacity_per_core"}},
      {"rate of links", {"ici.link_rate"}},
      {"latency of links", {"ici.hop_latency", "ici.remote_dma_latency"}},
      {"rate of PCIe", {"host.pcie_rate"}},
      {"start of an op", {"compiler.op_launch_cycles"}},
      {"start of a collective", {"compiler.collective_launch", "compiler.collective_launch_doubling"}},
  };
  constexpr std::string_view prefix = "memory.", suffix = ".read_rate";
  for (const base::ConfigEntry& entry : machine.entries()) {
    if (!entry.key.starts_with(prefix) || !entry.key.ends_with(suffix)) continue;
    const std::string level = entry.key.substr(prefix.size(), entry.key.size() - prefix.size() - suffix.size());
    resources.push_back({"rate of " + level, {entry.key, prefix.data() + level + ".write_rate"}});
  }
  return resources;
}

/// "1312 Gb/s" for twice "656 Gb/s"; std::nullopt if a whole number would not stay whole.
std::optional<std::string> scaled(const base::ConfigEntry& entry, double factor) {
  const std::string& text = entry.text;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  const double changed = value * factor;
  const std::string_view unit(end, std::size_t(text.data() + text.size() - end));
  const bool is_whole = !std::holds_alternative<double>(entry.value) && (unit.empty() || unit == " cycles");
  if (is_whole && changed != std::floor(changed)) return std::nullopt;
  return fmt::format("{}{}", changed, unit);
}

std::optional<Change> changed(const base::Config& machine, const Resource& resource, Change::Kind kind) {
  Change change{.subject = resource.name, .kind = kind, .arguments = {}};
  for (const std::string& key : resource.keys) {
    if (!machine.contains(key)) return std::nullopt;
    const std::optional<std::string> value = scaled(machine.entry(key), kind == Change::Kind::twice ? 2 : 0.5);
    if (!value) return std::nullopt;
    change.arguments.insert(change.arguments.end(), {"--set", fmt::format("{}={}", key, *value)});
  }
  return change;
}

}  // namespace

std::vector<Change> resource_changes(const base::Config& machine) {
  std::vector<Change> changes;
  for (const Resource& resource : resources_of(machine)) {
    for (const Change::Kind kind : {Change::Kind::twice, Change::Kind::half}) {
      if (std::optional<Change> change = changed(machine, resource, kind)) changes.push_back(*std::move(change));
    }
  }
  return changes;
}

std::vector<Change> choice_changes(const std::vector<std::string>& words, std::int64_t batch_per_core) {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> flags{
      {"--overlap", {"collectives"}},
      {"--weight-update-sharding", {"auto"}},
      {"--rematerialise", {"none", "layer"}},
  };
  const auto is_given = [&](const std::string& flag) {
    return std::ranges::any_of(words, [&](const std::string& w) { return w == flag || w.starts_with(flag + "="); });
  };
  std::vector<Change> changes;
  for (const auto& [flag, values] : flags) {
    if (is_given(flag)) continue;
    for (const std::string& value : values) {
      changes.push_back(
          {.subject = fmt::format("{} {}", flag, value), .kind = Change::Kind::choice, .arguments = {flag, value}});
    }
  }
  for (const auto& [kind, batch] :
       {std::pair(Change::Kind::twice, 2 * batch_per_core), std::pair(Change::Kind::half, batch_per_core / 2)}) {
    const bool is_exact = kind == Change::Kind::twice || 2 * batch == batch_per_core;
    if (batch == 0 || !is_exact) continue;
    changes.push_back(
        {.subject = "samples per core", .kind = kind, .arguments = {"--batch-per-core", std::to_string(batch)}});
  }
  return changes;
}

}  // namespace podsim::studies::whatif
