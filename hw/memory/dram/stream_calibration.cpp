// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/stream_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/parameters/related_values.h"
#include "hw/memory/dram/stream_rates.h"
#include "hw/parts/hbm/stream_range.h"

namespace podsim::hw::memory::dram {
namespace {

constexpr std::string_view fingerprint_key = "hbm.measured_with";
constexpr std::string_view granules_key = "dma.outstanding_granules";

struct Constant {
  std::string_view key;
  std::string value;  ///< as TOML text
  std::string_view method;
};

constexpr std::array derived_keys{std::string_view("hbm.stream_rate"), std::string_view("hbm.write_cost"),
                                  std::string_view("hbm.turnaround"), fingerprint_key};
/// Without influence on the rates, as those.
constexpr std::string_view reserved_key = "hbm.reserved_per_core";

/// Whether the rates depend on a key.
bool acts_on_rates(const std::string& key) {
  const bool memory = key.starts_with("hbm.") || key.starts_with("hbm_timing.");
  return (memory || key == granules_key) && std::ranges::count(derived_keys, key) == 0 && key != reserved_key;
}

/// The values that the rates depend on, a line each.
std::string memory_text(const base::Config& config) {
  std::string text;
  for (const base::ConfigEntry& entry : config.entries()) {
    // In a program without registered schedulers there is no such key.
    if (entry.key == "hbm.scheduler" && entry.text == "fr_fcfs") continue;
    if (acts_on_rates(entry.key)) text += entry.key + "=" + entry.text + "\n";
  }
  return text;
}

/// What the banks give where that is too little; empty if it is enough. Rates may be nothing and their ratios no
/// numbers.
std::string shortage(const StreamConstants& constants) {
  const double reads = constants.stream_rate.si() * 1e-9;
  if (!(constants.stream_rate >= parts::hbm::min_stream_rate)) return fmt::format("reads get {:.2f} GB/s", reads);
  if (!(constants.write_cost >= parts::hbm::min_write_cost && constants.write_cost <= parts::hbm::max_write_cost))
    return fmt::format("reads get {:.2f} GB/s and writes {:.2f}", reads, reads / constants.write_cost);
  if (!(constants.turnaround <= parts::hbm::max_turnaround))
    return fmt::format("reads get {:.2f} GB/s, beside writes {:.2f}", reads, reads / (2 + constants.turnaround));
  return "";
}

/// InputError for a memory whose banks serve no stream, at the values that a user set: each may be sound by itself.
void check_constants(const base::Config& config, const StreamConstants& constants) {
  const std::string problem = shortage(constants);
  if (problem.empty()) return;
  base::parameters::Keys keys;
  for (const base::ConfigEntry& entry : config.entries()) {
    if (acts_on_rates(entry.key) && entry.evidence == base::Evidence::user) keys.push_back(entry.key);
  }
  if (keys.empty()) keys = {"hbm.clock", "hbm.channels"};
  base::parameters::reject_together(config, keys, "the banks of this memory give no steady streams", problem);
}

/// Measures a memory once: a study resolves the machine of each of its points several times, and the processes that run
/// points are forked from the one that has resolved them all.
const StreamConstants& measured_constants(const base::Config& config) {
  static std::map<std::string, StreamConstants> measured;  // by memory_text()
  const parts::hbm::DramParameters parameters = parts::hbm::read_dram_parameters(config);
  const std::int64_t granules = parts::hbm::outstanding_granules()({config, std::nullopt}, std::string(granules_key));
  const std::string memory = memory_text(config);
  auto found = measured.find(memory);
  if (found == measured.end()) {
    found = measured.emplace(memory, derive_stream_constants(parameters, granules)).first;
  }
  check_constants(config, found->second);
  return found->second;
}

std::vector<Constant> constants_of(const base::Config& config) {
  const StreamConstants& constants = measured_constants(config);
  return {{"hbm.stream_rate", fmt::format("\"{:.1f} GB/s\"", constants.stream_rate.si() * 1e-9),
           "contiguous reads alone, one core's half"},
          {"hbm.write_cost", fmt::format("{:.4f}", constants.write_cost),
           "time of a byte written alone over that of a byte read alone"},
          {"hbm.turnaround", fmt::format("{:.4f}", constants.turnaround),
           "reads and writes side by side: extra time per byte of the lesser direction, in times of a byte read"},
          {fingerprint_key, fmt::format("\"{}\"", memory_fingerprint(config)), "a fingerprint of what they depend on"}};
}

std::string table_of(const std::vector<Constant>& constants) {
  std::string text = "[hbm]\n";
  for (const Constant& constant : constants) {
    text += fmt::format("{} = {{ value = {}, evidence = \"derived\", source = \"podsim calibrate memory: {}\" }}\n",
                        constant.key.substr(constant.key.find('.') + 1), constant.value, constant.method);
  }
  return text;
}

}  // namespace

StreamConstants derive_stream_constants(const parts::hbm::DramParameters& parameters, std::int64_t outstanding) {
  StreamRates rates(parameters, outstanding);
  StreamConstants constants;
  constants.stream_rate = rates.alone(Direction::read, {});
  constants.write_cost = constants.stream_rate.si() / rates.alone(Direction::write, {}).si();
  const auto together = rates.together({}, {});
  constants.turnaround = std::max(0.0, 2 * constants.stream_rate.si() / (together[0] + together[1]).si() - 2);
  return constants;
}

/// The fingerprint is an FNV-1a hash of the keys and values.
std::string memory_fingerprint(const base::Config& config) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : memory_text(config)) hash = (hash ^ std::uint8_t(c)) * 1099511628211U;
  return fmt::format("fnv-{:016x}", hash);
}

std::string stream_constants_toml(const base::Config& config) {
  return fmt::format(
             "# SPDX-License-Identifier: Apache-2.0\n"
             "# Sustained rates of contiguous streams. Not to be edited: they are measured on the bank model by\n"
             "#   podsim calibrate memory --machine {0} --write workloads/machines/{0}.memory.toml\n\n",
             config.string("machine.name")) +
         table_of(constants_of(config));
}

bool recalibrate_streams(base::Config& config) {
  if (config.string(fingerprint_key) == memory_fingerprint(config)) return false;
  std::vector<Constant> constants = constants_of(config);
  std::erase_if(constants,
                [&](const Constant& constant) { return config.entry(constant.key).evidence == base::Evidence::user; });
  config.add_text("podsim calibrate memory", table_of(constants));
  return true;
}

}  // namespace podsim::hw::memory::dram
