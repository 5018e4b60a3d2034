// SPDX-License-Identifier: Apache-2.0
#include "base/host/interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <string_view>

#include "base/host/exit_code.h"

namespace podsim::base::host {

namespace detail {
std::atomic<bool> throws_now{false};
}

namespace {

constexpr double patience_s = 5, patience_after_limit_s = 0.6;

/// What an interruption does in addition to setting the flag.
enum class Mode { nothing, watched, throws };

// A signal handler can only reach statics.
std::atomic<bool> interrupted_flag{false}, by_limit{false};
std::atomic<Mode> mode{Mode::nothing};
std::atomic<void (*)()> at_interrupt{nullptr};

/// Sends SIGALRM after `seconds`.
void start_timer(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = time_t(seconds);
  timer.it_value.tv_usec = std::max<suseconds_t>(1, suseconds_t((seconds - std::floor(seconds)) * 1e6));
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void interrupt() {
  interrupted_flag.store(true);
  if (mode == Mode::nothing) return;
  if (mode == Mode::throws) detail::throws_now.store(true);
  if (void (*const function)() = at_interrupt) function();
  start_timer(by_limit ? patience_after_limit_s : patience_s);
}

void on_interrupt(int signal) {
  interrupt();
  std::signal(signal, SIG_DFL);
}

/// The time limit, or the end of the patience with work that does not notice the interruption.
void on_alarm(int) {
  if (!interrupted_flag) {
    by_limit.store(true);
    return interrupt();
  }
  if (mode == Mode::nothing) return;
  const std::string_view text = by_limit ? "error: the time limit is reached before there is a result\n"
                                         : "error: interrupted before there is a result\n";
  static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
  _exit(interruption_code());
}

void handle_signals() {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, on_interrupt);
  std::signal(SIGALRM, on_alarm);
}

void stop_waiting() {
  if (interrupted_flag) alarm(0);
}

void enter(Mode next) {
  handle_signals();
  mode.store(next);
  if (interrupted_flag) interrupt();
}

}  // namespace

const std::atomic<bool>& watch_for_interrupt() {
  detail::throws_now.store(false);
  enter(Mode::watched);
  return interrupted_flag;
}

void throw_on_interrupt() { enter(Mode::throws); }

void protect_results() {
  mode.store(Mode::nothing);
  detail::throws_now.store(false);
  stop_waiting();
}

AtInterrupt::AtInterrupt(void (*function)()) : before_(at_interrupt.exchange(function)) {}

AtInterrupt::~AtInterrupt() { at_interrupt.store(before_); }

void limit_time(double seconds) {
  std::signal(SIGALRM, on_alarm);
  start_timer(seconds);
}

int interruption_code() { return by_limit ? out_of_time : interrupted; }

Interrupted::Interrupted(std::string where) { locate(std::move(where)); }

void Interrupted::locate(std::string where) {
  if (!where_.empty()) return;
  where_ = std::move(where);
  text_ = by_limit ? "the time limit is reached" : "interrupted";
  if (!where_.empty()) text_ += " " + where_;
}

void detail::throw_interrupted(std::string where) {
  throws_now.store(false);
  stop_waiting();
  throw Interrupted(std::move(where));
}

}  // namespace podsim::base::host
