// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

/// Quantities that carry their dimension, so that seconds, bytes and cycles cannot be mixed up.
///
/// There are two kinds:
/// - Count<Tag>: an exact integer number of one thing (Cycles of some clock, Bytes, Time in picoseconds). Simulated
///   time is always counted, never accumulated in floating point.
/// - Quantity<TimeExponent, DataExponent>: a physical value in SI base units (seconds, bytes), as a double: Duration,
///   Frequency, Bandwidth, DataSize. Products and quotients get the right dimension or do not compile.
namespace podsim::base {

template <class Tag>
class Count {
 public:
  constexpr Count() = default;
  constexpr explicit Count(std::int64_t value) : value_(value) {}
  constexpr std::int64_t value() const { return value_; }

  constexpr auto operator<=>(const Count&) const = default;
  constexpr Count& operator+=(Count other) { return value_ += other.value_, *this; }
  constexpr Count& operator-=(Count other) { return value_ -= other.value_, *this; }
  constexpr Count& operator*=(std::int64_t factor) { return value_ *= factor, *this; }
  friend constexpr Count operator+(Count a, Count b) { return Count(a.value_ + b.value_); }
  friend constexpr Count operator-(Count a, Count b) { return Count(a.value_ - b.value_); }
  friend constexpr Count operator*(Count a, std::int64_t factor) { return Count(a.value_ * factor); }
  friend constexpr Count operator*(std::int64_t factor, Count a) { return Count(a.value_ * factor); }
  friend constexpr Count operator/(Count a, std::int64_t divisor) { return Count(a.value_ / divisor); }
  /// The number of times that b fits into a, rounded down.
  friend constexpr std::int64_t operator/(Count a, Count b) { return a.value_ / b.value_; }
  friend constexpr Count operator%(Count a, Count b) { return Count(a.value_ % b.value_); }

 private:
  std::int64_t value_ = 0;
};

using Cycles = Count<struct CyclesTag>;     ///< Cycles of the clock that the context names.
using Bytes = Count<struct BytesTag>;       ///< Bytes, exact.
using Time = Count<struct PicosecondsTag>;  ///< Simulated time in picoseconds, the resolution of SystemC here.

template <int TimeExponent, int DataExponent>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double si) : si_(si) {}
  /// The value in SI base units: seconds, bytes, and their products and quotients.
  constexpr double si() const { return si_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.si_ + b.si_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.si_ - b.si_); }
  friend constexpr Quantity operator*(Quantity a, double factor) { return Quantity(a.si_ * factor); }
  friend constexpr Quantity operator*(double factor, Quantity a) { return Quantity(a.si_ * factor); }
  friend constexpr Quantity operator/(Quantity a, double divisor) { return Quantity(a.si_ / divisor); }

 private:
  double si_ = 0;
};

using Duration = Quantity<1, 0>;    ///< seconds
using Frequency = Quantity<-1, 0>;  ///< hertz
using DataSize = Quantity<0, 1>;    ///< bytes
using Bandwidth = Quantity<-1, 1>;  ///< bytes per second

namespace detail {
template <int T, int D>
struct Result {
  using type = Quantity<T, D>;
  static constexpr type make(double si) { return type(si); }
};
template <>
struct Result<0, 0> {
  using type = double;
  static constexpr double make(double si) { return si; }
};
}  // namespace detail

template <int T1, int D1, int T2, int D2>
constexpr auto operator*(Quantity<T1, D1> a, Quantity<T2, D2> b) {
  return detail::Result<T1 + T2, D1 + D2>::make(a.si() * b.si());
}
template <int T1, int D1, int T2, int D2>
constexpr auto operator/(Quantity<T1, D1> a, Quantity<T2, D2> b) {
  return detail::Result<T1 - T2, D1 - D2>::make(a.si() / b.si());
}

constexpr Duration operator/(Bytes bytes, Bandwidth rate) { return Duration(double(bytes.value()) / rate.si()); }
constexpr Bandwidth operator/(Bytes bytes, Duration time) { return Bandwidth(double(bytes.value()) / time.si()); }
constexpr Duration operator/(Cycles cycles, Frequency clock) { return Duration(double(cycles.value()) / clock.si()); }

constexpr Duration to_duration(Time time) { return Duration(double(time.value()) * 1e-12); }
/// Rounds to the nearest picosecond.
Time to_time(Duration duration);

constexpr std::int64_t divide_round_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t multiple) {
  return divide_round_up(a, multiple) * multiple;
}

/// A clock as a description, not a toggling wire. Edge n is at n / frequency since time zero, rounded once to the
/// nearest picosecond. Nothing accumulates: a 940 MHz period rounded to 1064 ps would be 160 ppm wrong.
class Clock {
 public:
  explicit Clock(Frequency frequency);
  Frequency frequency() const { return frequency_; }
  Time time_of(Cycles edge) const;
  /// First edge at or after a time.
  Cycles edge_at_or_after(Time time) const;
  /// Number of whole cycles that cover a duration, rounded up, with a relative slack of 1e-9 for values such as 100
  /// cycles written in nanoseconds.
  Cycles cycles_covering(Duration duration) const;

 private:
  Frequency frequency_;
  std::int64_t millihertz_;
};

/// Human-readable: the value with four significant digits and a suitable prefix, "131.1 ms", "412.5 GB/s", "16 MiB".
/// Byte counts use binary prefixes if they divide exactly, else decimal ones.
std::string to_string(Duration duration);
std::string to_string(Frequency frequency);
std::string to_string(Bandwidth bandwidth);
std::string to_string(Bytes bytes);
std::string to_string(Time time);
std::string to_string(Cycles cycles);

}  // namespace podsim::base
