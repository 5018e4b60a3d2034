// SPDX-License-Identifier: Apache-2.0
#include "hw/machine.h"

#include <algorithm>

#include "base/parameters/related_values.h"
#include "base/parameters/section.h"
#include "hw/machine_sections.h"

namespace podsim::hw {

namespace {

/// Machine files state measured rates with a digit behind the point.
constexpr base::Bandwidth rounding_of_rates(0.05e9);

/// Chips per dimension of a pod.
struct Dimensions {
  std::vector<std::int64_t> operator()(const base::parameters::Reading& reading, const std::string& key) const {
    std::vector<std::int64_t> dimensions = reading.config.integers(key);
    const auto too_few_or_many = [](std::int64_t chips) {
      return chips < 1 || chips > base::parameters::kind::max_count;
    };
    if (dimensions.empty() || std::ranges::any_of(dimensions, too_few_or_many)) {
      reading.config.reject(
          key, "'" + key + "' needs at least one dimension, each of at least one chip and at most 1000000");
    }
    return dimensions;
  }
};

/// Values of different parts that each may be right and do not go together.
void relate(const base::Config& config, const Machine& machine) {
  if (machine.sync_flags < 4) config.reject("core.sync_flags", "an op's double buffers need 4 of 'core.sync_flags'");
  if (machine.instruction_memory > 65536)
    config.reject("core.instruction_memory_bundles", "a bundle's address has 16 bits: at most 65536");
  if (machine.mxu.weight_rows > machine.mxu.size) {
    base::parameters::reject_together(config, {"mxu.weight_rows_per_cycle", "mxu.size"},
                                      "an array has fewer rows of weights than load in a cycle");
  }
  if (machine.mxu.size % machine.vector.sublanes != 0) {
    base::parameters::reject_together(config, {"mxu.size", "vector.sublanes"},
                                      "weights come in whole registers of 'vector.sublanes' rows");
  }
  if (machine.hbm.reserved_per_core < base::Bytes(0)) {
    config.reject("hbm.reserved_per_core", "'hbm.reserved_per_core' must not be negative");
  }
  if (machine.hbm.reserved_per_core >= machine.hbm.capacity_per_core) {
    base::parameters::reject_together(
        config, {"hbm.reserved_per_core", "hbm.capacity_per_core"},
        "more memory is reserved than there is: 'hbm.reserved_per_core' must be less than "
        "'hbm.capacity_per_core'");
  }
  const base::Bandwidth pins = machine.dram.pin_rate();
  const auto at_most_pins = [&](const char* key, base::Bandwidth rate, base::Bandwidth most, const char* hint) {
    if (rate <= most) return;
    base::parameters::Keys keys{key,         "hbm.clock",       "hbm.channels", "hbm.pseudo_channels",
                                "hbm.burst", "hbm.burst_clocks"};
    base::parameters::reject_together(
        config, keys, std::string("'") + key + "' is above the rate of the memory's pins, " + base::to_string(pins),
        hint);
  };
  at_most_pins("hbm.stream_rate", machine.hbm.stream_rate, pins + rounding_of_rates,
               "more channels or a higher clock carry more, and the rates of streams follow from them");
  at_most_pins("host.infeed_copy_rate", machine.host.infeed_copy_rate, pins,
               "a batch is copied into the HBM; set it as well");
}

}  // namespace

const base::parameters::Section<Machine>& Machine::core_section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<Machine> keys(
      "core", {
                  {"clock", &Machine::clock, ClockRate{}, {ops, collectives, packets, chip, kernels}},
                  {"cores_per_chip",
                   &Machine::cores_per_chip,
                   positive(16, "a message over ICI names one of 16 cores"),
                   {ops, collectives, packets, chip}},
                  {"vmem", &Machine::vmem, Size{base::Bytes(1LL << 36)}, {ops, kernels, limits}},
                  {"sync_flags", &Machine::sync_flags, positive(), {kernels, limits}},
                  {"instruction_memory_bundles", &Machine::instruction_memory, positive(), {kernels, limits}},
              });
  return keys;
}

const base::parameters::Section<PodParameters>& PodParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<PodParameters> keys(
      "pod", {
                 {"dimensions", &PodParameters::dimensions, Dimensions{}, {ops, collectives, packets, limits}},
                 {"host_chips", &PodParameters::host_chips, positive(), {collectives, packets, inputs, checkpoints}},
                 {"pods", &PodParameters::pods, positive(), {ops, collectives, packets, limits}},
             });
  return keys;
}

double Machine::peak_flops_per_core() const {
  return 2.0 * double(mxu.count * mxu.size * mxu.size * mxu.bf16_products) * clock.si();
}

std::vector<base::parameters::KeyUse> machine_keys() {
  std::vector<base::parameters::KeyUse> uses;
  Machine machine;
  machine.levels.emplace_back().name = "*";  // stands for those that a file declares
  for_each_section(machine, [&](const auto& section, auto&) { append_uses(section, uses); });
  return uses;
}

Machine read_machine(const base::Config& config) {
  Machine machine;
  machine.name = config.string("machine.name");
  const base::Clock clock(base::parameters::kind::ClockRate{}({config, std::nullopt}, "core.clock"));
  machine.levels = parts::level::declared_levels(config);
  for_each_section(machine, [&](const auto& section, auto& record) { section.read({config, clock}, record); });
  parts::level::complete(config, Machine::max_levels, machine.cores_per_chip, machine.levels);
  complete(config, machine.dram);
  machine.hbm.port_rate = base::Bandwidth(double(machine.chip_switch.bytes_per_cycle) * machine.clock.si());
  complete(config, machine.chip_switch.crossing_latency / machine.clock, machine.ici);
  relate(config, machine);
  return machine;
}

}  // namespace podsim::hw
