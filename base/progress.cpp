// SPDX-License-Identifier: Apache-2.0
#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>

#include "base/text/utf8.h"

namespace podsim::base {
namespace {

constexpr std::chrono::milliseconds first_after{1000}, interval{100};
constexpr int bar_width = 20;

std::string time_left(double seconds) {
  auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 100) return fmt::format("{} s left", whole);
  if (whole < 100 * 60) return fmt::format("{} min left", (whole + 59) / 60);
  return fmt::format("{} h left", (whole + 3599) / 3600);
}

}  // namespace

Progress::Progress(std::string label) : Progress(std::move(label), std::cerr, isatty(STDERR_FILENO) == 1, Clock::now) {}

Progress::Progress(std::string label, std::ostream& out, bool terminal, std::function<Clock::time_point()> now)
    : label_(std::move(label)), out_(out), terminal_(terminal), now_(std::move(now)), begin_(now_()) {
  next_ = begin_ + first_after;
}

Progress::~Progress() {
  if (shown_) out_ << "\r\033[K" << std::flush;
}

bool Progress::due() {
  if (!terminal_) return false;
  const Clock::time_point now = now_();
  if (now < next_) return false;
  next_ = now + interval;
  return true;
}

void Progress::show(const std::string& line) {
  shown_ = true;
  out_ << "\r\033[K" << line << std::flush;
}

void Progress::update(double fraction, std::string_view note) {
  if (!due()) return;
  fraction = std::clamp(fraction, 0.0, 1.0);
  std::string line = fmt::format("{} {:3.0f} %  [{:<{}}]", label_, std::floor(fraction * 100),
                                 std::string(std::size_t(fraction * bar_width), '#'), bar_width);
  const double spent = std::chrono::duration<double>(now_() - begin_).count();
  if (fraction > 0) line += "  " + time_left(spent * (1 - fraction) / fraction);
  if (!note.empty()) line += "  " + text::printable(note);
  show(line);
}

void Progress::update(const std::function<std::string()>& note) {
  if (!due()) return;
  const double spent = std::chrono::duration<double>(now_() - begin_).count();
  show(fmt::format("{}  {:.0f} s so far  {}", label_, std::floor(spent), note()));
}

}  // namespace podsim::base
