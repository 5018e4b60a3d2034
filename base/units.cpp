// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cmath>
#include <span>
#include <string_view>

namespace podsim::base {
namespace {

__extension__ typedef __int128 Wide;

constexpr Wide picoseconds_per_kilosecond = 1'000'000'000'000'000;  // numerator over a frequency in millihertz

struct Prefix {
  double factor;
  std::string_view unit;
};

/// At most four significant digits, never an exponent, no trailing zeros.
std::string four_digits(double value) {
  std::string text = std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:#.4g}", value);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

/// "-" for what is no number, such as a rate over no time. Else formats with the largest prefix that leaves a value of
/// at least one after rounding to four digits. Prefixes are in descending order.
std::string with_prefix(double value, std::span<const Prefix> prefixes) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return fmt::format("0 {}", prefixes.back().unit);
  for (const Prefix& prefix : prefixes) {
    if (std::abs(value) / prefix.factor >= 0.99995) {
      return fmt::format("{} {}", four_digits(value / prefix.factor), prefix.unit);
    }
  }
  return fmt::format("{} {}", fmt::format("{:.4g}", value / prefixes.back().factor), prefixes.back().unit);
}

constexpr std::array duration_prefixes{Prefix{1, "s"}, Prefix{1e-3, "ms"}, Prefix{1e-6, "us"}, Prefix{1e-9, "ns"},
                                       Prefix{1e-12, "ps"}};
constexpr std::array frequency_prefixes{Prefix{1e9, "GHz"}, Prefix{1e6, "MHz"}, Prefix{1e3, "kHz"}, Prefix{1, "Hz"}};
constexpr std::array bandwidth_prefixes{Prefix{1e15, "PB/s"}, Prefix{1e12, "TB/s"}, Prefix{1e9, "GB/s"},
                                        Prefix{1e6, "MB/s"},  Prefix{1e3, "kB/s"},  Prefix{1, "B/s"}};
constexpr std::array byte_prefixes{Prefix{1e15, "PB"}, Prefix{1e12, "TB"}, Prefix{1e9, "GB"},
                                   Prefix{1e6, "MB"},  Prefix{1e3, "kB"},  Prefix{1, "B"}};
constexpr std::array<std::string_view, 6> binary_units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

}  // namespace

Time to_time(Duration duration) {
  double picoseconds = duration.si() * 1e12;
  assert(std::abs(picoseconds) < 9.2e18);
  return Time(std::llround(picoseconds));
}

Clock::Clock(Frequency frequency) : frequency_(frequency), millihertz_(std::llround(frequency.si() * 1e3)) {
  assert(millihertz_ > 0 && frequency.si() <= 1e12);
}

Time Clock::time_of(Cycles edge) const {
  assert(edge.value() >= 0);
  Wide doubled = 2 * picoseconds_per_kilosecond * edge.value() + millihertz_;
  return Time(static_cast<std::int64_t>(doubled / (2 * Wide(millihertz_))));
}

Cycles Clock::edge_at_or_after(Time time) const {
  // time_of(n) >= t  <=>  2 n K + m >= 2 m t  <=>  n >= m (2 t - 1) / (2 K), with K picoseconds per kilosecond.
  if (time.value() <= 0) return Cycles(0);
  Wide numerator = Wide(millihertz_) * (2 * Wide(time.value()) - 1);
  Wide denominator = 2 * picoseconds_per_kilosecond;
  return Cycles(static_cast<std::int64_t>((numerator + denominator - 1) / denominator));
}

Cycles Clock::cycles_covering(Duration duration) const {
  assert(duration.si() >= 0);
  double cycles = duration * frequency_;
  return Cycles(static_cast<std::int64_t>(std::ceil(cycles * (1 - 1e-9))));
}

std::string to_string(Duration duration) { return with_prefix(duration.si(), duration_prefixes); }
std::string to_string(Frequency frequency) { return with_prefix(frequency.si(), frequency_prefixes); }
std::string to_string(Bandwidth bandwidth) { return with_prefix(bandwidth.si(), bandwidth_prefixes); }
std::string to_string(Time time) { return to_string(to_duration(time)); }

std::string to_string(Bytes bytes) {
  std::int64_t scaled = bytes.value();
  std::size_t unit = 0;
  while (scaled != 0 && scaled % 1024 == 0 && unit + 1 < binary_units.size()) {
    scaled /= 1024;
    ++unit;
  }
  if (std::abs(scaled) < 10'000 && (unit > 0 || std::abs(scaled) < 1000)) {
    return fmt::format("{} {}", scaled, binary_units[unit]);
  }
  return with_prefix(double(bytes.value()), byte_prefixes);
}

std::string to_string(Cycles cycles) {
  return fmt::format("{} {}", cycles.value(), cycles.value() == 1 ? "cycle" : "cycles");
}

}  // namespace podsim::base
