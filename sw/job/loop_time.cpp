// SPDX-License-Identifier: Apache-2.0
#include "sw/job/loop_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/diagnostic.h"
#include "hw/input/pipeline_recurrence.h"

namespace podsim::sw::job {

namespace {

constexpr std::int64_t most_steps = 10'000'000;

/// All hosts, as one source of batches.
class Hosts {
 public:
  explicit Hosts(const LoopParts& parts) {
    if (!parts.input) return;
    for (std::int64_t host = 0; host < parts.input->simulated_hosts(); ++host) {
      hosts_.emplace_back(parts.input->stages, parts.queue, parts.input->seed, host);
    }
  }
  /// When a step that could begin at `time` has its batch.
  base::Time batch_at(base::Time time) {
    for (hw::input::PipelineRecurrence& host : hosts_) time = std::max(time, host.prepare());
    for (hw::input::PipelineRecurrence& host : hosts_) host.take(time);
    return time;
  }

 private:
  std::vector<hw::input::PipelineRecurrence> hosts_;
};

class Round {
 public:
  Round(const LoopParts& parts, Hosts& hosts, base::Time& now) : parts_(parts), hosts_(hosts), now_(now) {}

  LoopTime run() {
    LoopTime time;
    launch(time);
    time.steps = steps(parts_.plan.steps, parts_.step, time.waiting);
    if (parts_.plan.evaluation_steps == 0) return time;
    launch(time);
    time.evaluation = steps(parts_.plan.evaluation_steps, parts_.evaluation_step, time.evaluation_waiting);
    time.evaluation += parts_.reduction;
    now_ += parts_.reduction;
    return time;
  }

 private:
  void launch(LoopTime& time) {
    now_ += parts_.launch;
    time.launches += parts_.launch;
  }

  base::Time steps(std::int64_t count, base::Time step, base::Time& waiting) {
    const base::Time begin = now_;
    for (std::int64_t i = 0; i < count; ++i) {
      const base::Time ready = hosts_.batch_at(now_);
      waiting += ready - now_;
      now_ = ready + step;
    }
    return now_ - begin;
  }

  const LoopParts& parts_;
  Hosts& hosts_;
  base::Time& now_;
};

struct Word {
  std::size_t begin = 0;
  std::string_view text;
};

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" ,", begin), text.size());
    if (end > begin) words.push_back({begin, text.substr(begin, end - begin)});
    begin = end + 1;
  }
  return words;
}

[[noreturn]] void reject_word(std::string_view text, const Word& word, std::string message, std::string hint) {
  throw base::InputError({base::Diagnostic::Severity::error,
                          std::move(message),
                          {.file = "--loop",
                           .line = 0,
                           .column = int(word.begin) + 1,
                           .length = std::max(int(word.text.size()), 1),
                           .line_text = std::string(text)},
                          std::move(hint)});
}

}  // namespace

LoopPlan parse_loop(std::string_view text) {
  LoopPlan plan;
  bool has_steps = false;
  for (const Word& word : words_of(text)) {
    const bool steps = word.text.starts_with("steps="), evaluation = word.text.starts_with("eval=");
    if (!steps && !evaluation) {
      reject_word(text, word, fmt::format("'{}' is no part of a loop", word.text), "parts: steps=N and eval=N");
    }
    const std::string_view number = word.text.substr(word.text.find('=') + 1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    const std::int64_t least = steps ? 1 : 0;
    if (error != std::errc() || end != number.data() + number.size() || value < least || value > most_steps) {
      reject_word(text, word, fmt::format("'{}' is not a whole number from {} to {}", number, least, most_steps), "");
    }
    (steps ? plan.steps : plan.evaluation_steps) = value;
    has_steps = has_steps || steps;
  }
  if (!has_steps) reject_word(text, {0, text}, "a loop needs its number of steps", "'steps=1252 eval=13'");
  return plan;
}

LoopTime time_of_loop(const LoopParts& parts) {
  Hosts hosts(parts);
  base::Time now;
  Round round(parts, hosts, now);
  round.run();
  return round.run();
}

}  // namespace podsim::sw::job
