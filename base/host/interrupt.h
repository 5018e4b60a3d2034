// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <utility>

/// Ends a command on a signal or a time limit so that its results are kept: on the first SIGINT (Ctrl-C) or SIGTERM, or
/// after the time of --limit. A second signal ends the program at once.
namespace podsim::base::host {

/// Returns a flag that the interruption sets, for commands that test it themselves between parts of their work. A
/// program that does not call protect_results() within five seconds after a signal, or within 0.6 s after its time
/// limit, ends without a result.
const std::atomic<bool>& watch_for_interrupt();

/// Makes the interruption an exception: the next end_if_interrupted() throws it. For commands whose loops are in
/// libraries below them. A program that does not call end_if_interrupted() within the same times ends without a result.
void throw_on_interrupt();

/// Declares that the work is done and its results are being written: from now on neither a first signal nor the time
/// limit ends the program.
void protect_results();

/// While it lives, an interruption also calls `function`, in the signal handler.
class AtInterrupt {
 public:
  explicit AtInterrupt(void (*function)());
  ~AtInterrupt();
  AtInterrupt(const AtInterrupt&) = delete;
  AtInterrupt& operator=(const AtInterrupt&) = delete;

 private:
  void (*before_)();
};

/// Interrupts the program after `seconds`, as Ctrl-C does.
void limit_time(double seconds);

/// ExitCode of a program that was interrupted: `interrupted` or `out_of_time`.
int interruption_code();

/// Work that was interrupted. A function with partial results catches it, prints them and throws it again.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(std::string where = "");
  const char* what() const noexcept override { return text_.c_str(); }
  /// Where the work was, such as "at load 0.2, cycle 4000"; may be empty.
  const std::string& where() const { return where_; }
  /// Sets the location unless it is known.
  void locate(std::string where);

 private:
  std::string where_, text_;
};

namespace detail {
extern std::atomic<bool> throws_now;
[[noreturn]] void throw_interrupted(std::string where);
}  // namespace detail

/// True if the next end_if_interrupted() throws. For loops that cannot be left by an exception.
inline bool interrupt_pending() { return detail::throws_now.load(std::memory_order_relaxed); }

/// Throws Interrupted once, after an interruption. It costs a load, so that any loop may call it. Not to be called in a
/// SystemC process, which exceptions cannot leave.
inline void end_if_interrupted() {
  if (interrupt_pending()) [[unlikely]]
    detail::throw_interrupted("");
}
inline void end_if_interrupted(std::string where) {
  if (interrupt_pending()) [[unlikely]]
    detail::throw_interrupted(std::move(where));
}

}  // namespace podsim::base::host
