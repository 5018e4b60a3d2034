// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config.h"
#include "base/units.h"

/// Kinds of values in a machine file. Each is a function object that reads the value of a key and rejects one out of
/// its range. Ranges are far above anything that is built: beyond them numbers overflow, or a simulation does not end.
namespace podsim::base::parameters {

/// What values are read from.
struct Reading {
  const Config& config;
  std::optional<Clock> clock;  ///< of the core, for durations that are kept in its cycles
};

namespace kind {

constexpr std::int64_t max_count = 1'000'000;

/// A whole number between `least` and `most`. `why` is the reason for the range; empty: values beyond it overflow or
/// do not fit a host.
struct Whole {
  std::int64_t least, most;
  std::string why;
  std::int64_t operator()(const Reading& reading, const std::string& key) const;
};
inline Whole positive(std::int64_t most = max_count, std::string why = "") { return {1, most, std::move(why)}; }
inline Whole whole(std::int64_t least, std::int64_t most, std::string why = "") {
  return {least, most, std::move(why)};
}

/// Any whole number.
struct AnyWhole {
  std::int64_t operator()(const Reading& reading, const std::string& key) const { return reading.config.integer(key); }
};

/// A power of two up to `most`.
struct PowerOfTwo {
  std::int64_t most;
  std::int64_t operator()(const Reading& reading, const std::string& key) const;
};

/// A whole number of cycles.
struct CycleCount {
  Whole whole;
  Cycles operator()(const Reading& reading, const std::string& key) const { return Cycles(whole(reading, key)); }
};
inline CycleCount cycles(std::int64_t least, std::int64_t most = max_count, std::string why = "") {
  return {whole(least, most, std::move(why))};
}

/// A real number in a range: "'key' " + `rule` is the message for any other.
struct Real {
  double least, most;
  std::string rule;
  double operator()(const Reading& reading, const std::string& key) const;
};
/// A share between 0 and 1.
inline Real share() { return {0, 1, "is a share: between 0 and 1"}; }

/// A size of one byte to `most`.
struct Size {
  Bytes most;
  Bytes operator()(const Reading& reading, const std::string& key) const;
};

/// Any size; what reads it says what it must be.
struct AnySize {
  Bytes operator()(const Reading& reading, const std::string& key) const { return reading.config.bytes(key); }
};

/// A size that is a power of two between `least` and `most`.
struct SizePowerOfTwo {
  Bytes least, most;
  Bytes operator()(const Reading& reading, const std::string& key) const;
};

/// Bytes per second between `least` and 1000000 GB/s.
struct Rate {
  Bandwidth least{1e6};
  std::string min_text = "1 MB/s";
  Bandwidth operator()(const Reading& reading, const std::string& key) const;
};

/// A time between 0 and `longest` seconds.
struct Time {
  std::int64_t longest = 1;
  Duration operator()(const Reading& reading, const std::string& key) const;
};

/// A time between 0 and 1 s, kept in cycles of the core clock, rounded up.
struct CoveringCycles {
  Cycles operator()(const Reading& reading, const std::string& key) const {
    return reading.clock.value().cycles_covering(Time{}(reading, key));
  }
};

/// A clock between 1 MHz and 100 GHz.
struct ClockRate {
  Frequency operator()(const Reading& reading, const std::string& key) const;
};

/// An energy between 0 and `most` joules.
struct Joules {
  double most;
  double operator()(const Reading& reading, const std::string& key) const;
};

/// A power between 0 and `most` watts.
struct Watts {
  double most;
  double operator()(const Reading& reading, const std::string& key) const;
};

struct Flag {
  bool operator()(const Reading& reading, const std::string& key) const { return reading.config.boolean(key); }
};

/// Throws the InputError for a value that is none of `names`.
[[noreturn]] void reject_choice(const Reading& reading, const std::string& key,
                                const std::vector<std::string_view>& names);

/// One of several names.
template <class Value>
struct Choice {
  std::vector<std::pair<std::string_view, Value>> values;
  Value operator()(const Reading& reading, const std::string& key) const {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : values) {
      if (reading.config.string(key) == name) return value;
      names.push_back(name);
    }
    reject_choice(reading, key, names);
  }
};
/// Values whose names to_string() gives.
template <class Value, class... More>
Choice<Value> named(Value first, More... more) {
  return {{{to_string(first), first}, {to_string(more), more}...}};
}

}  // namespace kind
}  // namespace podsim::base::parameters
