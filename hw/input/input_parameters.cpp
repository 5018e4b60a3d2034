// SPDX-License-Identifier: Apache-2.0
#include "hw/input/input_parameters.h"

#include <fmt/format.h>

namespace podsim::hw::input {

namespace {

std::int64_t count_from_one(const base::Config& config, const char* key, std::int64_t most) {
  const std::int64_t value = config.integer(key);
  if (value < 1 || value > most) config.reject(key, fmt::format("'{}' must be between 1 and {}", key, most));
  return value;
}

base::Bandwidth positive_rate(const base::Config& config, const char* key) {
  const base::Bandwidth value = config.bandwidth(key);
  if (!(value.si() >= 1e6 && value.si() <= 1e15))
    config.reject(key, fmt::format("'{}' must be between 1 MB/s and 1000000 GB/s", key));
  return value;
}

base::Duration time_for_one(const base::Config& config, const char* key) {
  const base::Duration value = config.duration(key);
  if (!(value.si() >= 0 && value.si() <= 1)) config.reject(key, fmt::format("'{}' must be between 0 and 1 s", key));
  return value;
}

}  // namespace

InputParameters read_input_parameters(const base::Config& config) {
  InputParameters input;
  input.host_chips = count_from_one(config, "pod.host_chips", 1'000'000);
  input.threads = count_from_one(config, "input.threads", 1'000'000);
  input.read_rate = positive_rate(config, "input.read_rate");
  input.decode_pixel = time_for_one(config, "input.decode_pixel");
  input.pass_pixel = time_for_one(config, "input.pass_pixel");
  input.record = time_for_one(config, "input.record");
  input.copy_rate = positive_rate(config, "input.copy_rate");
  input.stage_queue = count_from_one(config, "input.stage_queue_batches", 1000);
  input.prefetch = count_from_one(config, "input.prefetch_batches", 1000);
  input.spread = config.number("input.spread");
  if (!(input.spread >= 0 && input.spread <= 1))
    config.reject("input.spread", "'input.spread' must be between 0, constant times, and 1, exponential ones");
  input.seed = std::uint64_t(config.integer("input.seed"));
  return input;
}

}  // namespace podsim::hw::input
