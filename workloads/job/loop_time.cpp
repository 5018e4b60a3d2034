// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/loop_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/diagnostic.h"
#include "base/text/words.h"
#include "hw/input/pipeline_recurrence.h"

namespace podsim::workloads::job {

namespace {

constexpr std::int64_t max_steps = 10'000'000;
constexpr std::size_t recorded_hosts = 4;

/// All hosts, as one source of batches.
class Hosts {
 public:
  Hosts(const LoopParts& parts, JobRecord* record) : parts_(parts), record_(record) {
    if (!parts.input) return;
    for (std::int64_t host = 0; host < parts.input->simulated_hosts(); ++host) {
      hosts_.emplace_back(parts.input->stages_of(host), parts.queue, parts.input->seed, host);
    }
  }
  /// When a step that could begin at `time` has its batch.
  base::Time batch_at(base::Time time) {
    for (hw::input::PipelineRecurrence& host : hosts_) time = std::max(time, host.prepare());
    if (record_ != nullptr) record();
    for (hw::input::PipelineRecurrence& host : hosts_) host.take(time);
    return time;
  }

 private:
  void record() {
    for (std::size_t host = 0; host < std::min(hosts_.size(), recorded_hosts); ++host) {
      const std::string name = fmt::format("host {}", host), batch = fmt::format("batch {}", hosts_[host].batches());
      for (std::size_t stage = 0; stage < parts_.input->stages.size(); ++stage) {
        record_->add(name, parts_.input->stages[stage].name, batch, hosts_[host].began(stage),
                     hosts_[host].done(stage));
      }
    }
  }

  const LoopParts& parts_;
  JobRecord* record_;
  std::vector<hw::input::PipelineRecurrence> hosts_;
};

/// The host that takes the results of steps.
class Results {
 public:
  explicit Results(const LoopParts& parts) : parts_(parts), handled_(std::size_t(parts.outfeed_queue)) {}
  bool any() const { return parts_.outfeed_transfer > base::Time(0) || parts_.outfeed_handling > base::Time(0); }
  /// When a step that has its results at `time` has sent them.
  base::Time sent_at(base::Time time, JobRecord* record) {
    base::Time& slot = handled_[std::size_t(steps_++ % parts_.outfeed_queue)];
    const base::Time sent = std::max(time, slot);
    const base::Time begin = std::max(sent + parts_.outfeed_transfer, last_);
    slot = last_ = begin + parts_.outfeed_handling;
    if (record != nullptr) record->add("job", "results", fmt::format("results {}", steps_), begin, last_);
    return sent;
  }

 private:
  const LoopParts& parts_;
  std::vector<base::Time> handled_;  ///< by step modulo the queue
  base::Time last_;
  std::int64_t steps_ = 0;
};

class Round {
 public:
  Round(const LoopParts& parts, Hosts& hosts, JobRecord* record)
      : parts_(parts), hosts_(hosts), results_(parts), record_(record) {}

  LoopTime run() {
    LoopTime time;
    const std::int64_t program = parts_.plan.checkpoint_steps > 0 ? parts_.plan.checkpoint_steps : parts_.plan.steps;
    for (std::int64_t done = 0; done < parts_.plan.steps; done += program) {
      launch(time);
      time.steps += steps(std::min(program, parts_.plan.steps - done), parts_.step, "step", time.waiting,
                          results_.any() ? &time.outfeed_waiting : nullptr);
      if (parts_.plan.checkpoint_steps > 0 && done + program <= parts_.plan.steps) save(time);
    }
    if (parts_.plan.evaluation_steps == 0) return time;
    launch(time);
    time.evaluation =
        steps(parts_.plan.evaluation_steps, parts_.evaluation_step, "evaluation", time.evaluation_waiting, nullptr);
    time.evaluation += parts_.reduction;
    for (const char* lane : {"loop", "device"}) record(lane, "metrics", now_, now_ + parts_.reduction);
    now_ += parts_.reduction;
    return time;
  }
  base::Time now() const { return now_; }

 private:
  void record(const char* lane, std::string name, base::Time begin, base::Time end) {
    if (record_ != nullptr) record_->add("job", lane, std::move(name), begin, end);
  }

  void launch(LoopTime& time) {
    record("loop", "launch", now_, now_ + parts_.launch);
    now_ += parts_.launch;
    time.launches += parts_.launch;
  }

  void save(LoopTime& time) {
    const base::Time begin = now_;
    now_ = std::max(now_, stored_at_) + parts_.save;
    stored_at_ = now_ + parts_.store;
    record("storage", "checkpoint", now_, stored_at_);
    if (!parts_.store_beside) now_ = stored_at_;
    record("loop", "checkpoint", begin, now_);
    time.checkpoints += now_ - begin;
  }

  /// Runs `count` steps. If `results_waiting` is given, each step sends results and waits for a free slot, and that
  /// time is added to it.
  base::Time steps(std::int64_t count, base::Time step, const char* name, base::Time& waiting,
                   base::Time* results_waiting) {
    const base::Time begin = now_;
    for (std::int64_t i = 0; i < count; ++i) {
      const base::Time ready = hosts_.batch_at(now_);
      waiting += ready - now_;
      if (record_ != nullptr) {
        record("device", "waits for hosts", now_, ready);
        record("device", fmt::format("{} {}", name, i + 1), ready, ready + step);
      }
      now_ = ready + step;
      if (results_waiting == nullptr) continue;
      const base::Time sent = results_.sent_at(now_, record_);
      record("device", "sends results", now_, sent);
      *results_waiting += sent - now_;
      now_ = sent;
    }
    record("loop", fmt::format("{} x {}", count, name), begin, now_);
    return now_ - begin;
  }

  const LoopParts& parts_;
  Hosts& hosts_;
  Results results_;
  JobRecord* record_;
  base::Time now_;
  base::Time stored_at_;  ///< the last checkpoint
};

using base::text::Word;

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
  struct Part {
    std::string_view name;
    std::int64_t LoopPlan::*value;
    std::int64_t least;
    Word word = {};
  };
  std::array parts{Part{"steps=", &LoopPlan::steps, 1}, Part{"eval=", &LoopPlan::evaluation_steps, 0},
                   Part{"checkpoint=", &LoopPlan::checkpoint_steps, 1}};
  const Part& steps = parts[0];
  const Part& checkpoint = parts[2];
  LoopPlan plan;
  for (const Word& word : base::text::words_of(text, " ,")) {
    const auto part = std::ranges::find_if(parts, [&](const Part& p) { return word.text.starts_with(p.name); });
    if (part == parts.end()) {
      reject_word(text, word, fmt::format("'{}' is no part of a loop", word.text),
                  "parts: steps=N, eval=N and checkpoint=N");
    }
    const std::string_view number = word.text.substr(part->name.size());
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || value < part->least || value > max_steps) {
      reject_word(text, word, fmt::format("'{}' is not a whole number from {} to {}", number, part->least, max_steps),
                  "");
    }
    plan.*part->value = value;
    part->word = word;
  }
  if (steps.word.text.empty()) reject_word(text, {0, text}, "a loop needs its number of steps", "'steps=1252 eval=13'");
  if (plan.checkpoint_steps > plan.steps) {
    reject_word(text, checkpoint.word, fmt::format("a loop of {} steps ends before its first checkpoint", plan.steps),
                "checkpoint=N: one after every N steps of the loop");
  }
  return plan;
}

LoopTime time_of_loop(const LoopParts& parts, JobRecord* record) {
  Hosts hosts(parts, record);
  Round round(parts, hosts, record);
  round.run();
  const LoopTime time = round.run();
  if (record != nullptr) record->set_end(round.now());
  return time;
}

}  // namespace podsim::workloads::job
