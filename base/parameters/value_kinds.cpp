// SPDX-License-Identifier: Apache-2.0
#include "base/parameters/value_kinds.h"

#include <fmt/format.h>

#include <bit>

namespace podsim::base::parameters::kind {

namespace {

std::string must_be(const std::string& key, const std::string& range) { return "'" + key + "' must be " + range; }

std::string between(std::int64_t least, std::int64_t most) {
  return "between " + std::to_string(least) + " and " + std::to_string(most);
}

}  // namespace

std::int64_t Whole::operator()(const Reading& reading, const std::string& key) const {
  const std::int64_t value = reading.config.integer(key);
  if (value < least || value > most) reading.config.reject(key, must_be(key, between(least, most)), why);
  return value;
}

std::int64_t PowerOfTwo::operator()(const Reading& reading, const std::string& key) const {
  const std::int64_t value = reading.config.integer(key);
  if (value < 1 || value > most || !std::has_single_bit(std::uint64_t(value))) {
    reading.config.reject(key, must_be(key, "a power of two up to " + std::to_string(most)));
  }
  return value;
}

double Real::operator()(const Reading& reading, const std::string& key) const {
  const double value = reading.config.number(key);
  if (!(value >= least && value <= most)) reading.config.reject(key, "'" + key + "' " + rule);
  return value;
}

Bytes Size::operator()(const Reading& reading, const std::string& key) const {
  const Bytes value = reading.config.bytes(key);
  if (value < Bytes(1)) reading.config.reject(key, must_be(key, "more than nothing"));
  if (value > most) reading.config.reject(key, must_be(key, "at most " + to_string(most)));
  return value;
}

Bytes SizePowerOfTwo::operator()(const Reading& reading, const std::string& key) const {
  const Bytes value = reading.config.bytes(key);
  if (value < least || value > most || !std::has_single_bit(std::uint64_t(value.value()))) {
    reading.config.reject(key, must_be(key, "a power of two between " + to_string(least) + " and " + to_string(most)));
  }
  return value;
}

Bandwidth Rate::operator()(const Reading& reading, const std::string& key) const {
  const Bandwidth value = reading.config.bandwidth(key);
  if (!(value >= least && value.si() <= 1e15)) {
    reading.config.reject(key, must_be(key, "between " + min_text + " and 1000000 GB/s"));
  }
  return value;
}

Duration Time::operator()(const Reading& reading, const std::string& key) const {
  const Duration value = reading.config.duration(key);
  if (!(value.si() >= 0 && value.si() <= double(longest))) {
    reading.config.reject(key, must_be(key, between(0, longest) + " s"));
  }
  return value;
}

Frequency ClockRate::operator()(const Reading& reading, const std::string& key) const {
  const Frequency value = reading.config.frequency(key);
  if (!(value.si() >= 1e6 && value.si() <= 1e11)) {
    reading.config.reject(key, must_be(key, "between 1 MHz and 100 GHz"));
  }
  return value;
}

double Joules::operator()(const Reading& reading, const std::string& key) const {
  const double value = reading.config.joules(key);
  if (!(value >= 0 && value <= most)) reading.config.reject(key, must_be(key, fmt::format("between 0 and {} J", most)));
  return value;
}

double Watts::operator()(const Reading& reading, const std::string& key) const {
  const double value = reading.config.watts(key);
  if (!(value >= 0 && value <= most)) reading.config.reject(key, must_be(key, fmt::format("between 0 and {} W", most)));
  return value;
}

void reject_choice(const Reading& reading, const std::string& key, const std::vector<std::string_view>& names) {
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  reading.config.reject(key, must_be(key, "one of " + list));
}

}  // namespace podsim::base::parameters::kind
