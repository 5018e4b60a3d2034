// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/schedule_file.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/config_layer.h"

namespace podsim::hlo::pipeline {
namespace {

constexpr auto task_form = "a task is F, B, I or W, a micro-batch and perhaps a chunk, each below 4096: F0, W3.1";
constexpr std::int64_t end_of_numbers = 4096;

/// A number at the begin of a text, which it removes.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.front() == '-' || number >= end_of_numbers) return std::nullopt;
  text.remove_prefix(std::size_t(end - text.data()));
  return number;
}

std::optional<Task> task_of(std::string_view word, std::int64_t stage) {
  Task task;
  task.chunk = stage;
  const std::size_t phase = std::string_view("FBIW").find(word.front());
  if (phase == std::string_view::npos) return std::nullopt;
  task.phase = Phase(phase);
  word.remove_prefix(1);
  const std::optional<std::int64_t> microbatch = take_number(word);
  if (!microbatch) return std::nullopt;
  task.microbatch = *microbatch;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    const std::optional<std::int64_t> chunk = take_number(word);
    if (!chunk) return std::nullopt;
    task.chunk = *chunk;
  }
  return word.empty() ? std::optional(task) : std::nullopt;
}

class ScheduleReader {
 public:
  ScheduleReader(std::string_view file, std::string_view text) : layer_(file, text), file_(file) {}

  Schedule run() {
    const toml::array* stages = nullptr;
    for (auto&& [name, node] : layer_.root()) {
      if (name != "stages") {
        fail(fmt::format("'{}' is no key of a schedule", name.str()), layer_.locate(name.source()),
             "its only key is stages");
      }
      stages = node.as_array();
      if (stages == nullptr) fail("stages is a list of texts", layer_.locate(node.source()), "one for every stage");
    }
    if (stages == nullptr || stages->empty()) {
      base::SourceLocation whole;
      whole.file = file_;
      fail("a schedule has no stages", whole, "such as stages = [\"F0 B0\"]");
    }
    for (const toml::node& node : *stages) read_stage(node);
    if (const std::optional<ScheduleFault> fault = find_fault(schedule_)) {
      const std::vector<base::SourceLocation>& locations = locations_[fault->at.stage];
      fail(fault->message, locations.empty() ? stages_[fault->at.stage] : locations[fault->at.position], "");
    }
    return std::move(schedule_);
  }

 private:
  [[noreturn]] static void fail(std::string message, base::SourceLocation where, std::string hint) {
    throw base::InputError(
        base::Diagnostic{base::Diagnostic::Severity::error, std::move(message), std::move(where), std::move(hint)});
  }

  void read_stage(const toml::node& node) {
    const std::optional<std::string> text = node.value_exact<std::string>();
    const base::SourceLocation begin = layer_.locate(node.source());
    if (!text) fail("the tasks of a stage are a text", begin, "such as \"F0 F1 B0 B1\"");
    const std::int64_t stage = std::int64_t(schedule_.stages.size());
    std::vector<Task>& tasks = schedule_.stages.emplace_back();
    std::vector<base::SourceLocation>& locations = locations_.emplace_back();
    stages_.push_back(begin);
    for (std::size_t at = 0; (at = text->find_first_not_of(" \t\n", at)) != std::string::npos;) {
      const std::size_t end = std::min(text->size(), text->find_first_of(" \t\n", at));
      const std::string word = text->substr(at, end - at);
      base::SourceLocation where = begin;
      // A text of several lines has its begin as location.
      if (text->find('\n') == std::string::npos) where.column += 1 + int(at), where.length = int(word.size());
      const std::optional<Task> task = task_of(word, stage);
      if (!task) fail(fmt::format("'{}' is no task", word), where, task_form);
      add(*task, tasks);
      locations.push_back(where);
      at = end;
    }
  }

  void add(const Task& task, std::vector<Task>& tasks) {
    tasks.push_back(task);
    schedule_.chunks = std::max(schedule_.chunks, task.chunk + 1);
    schedule_.microbatches = std::max(schedule_.microbatches, task.microbatch + 1);
  }

  base::ConfigLayer layer_;
  std::string_view file_;
  Schedule schedule_;
  std::vector<base::SourceLocation> stages_;
  std::vector<std::vector<base::SourceLocation>> locations_;  ///< of the tasks of every stage
};

}  // namespace

Schedule read_schedule(std::string_view file, std::string_view text) { return ScheduleReader(file, text).run(); }

std::string schedule_text(const Schedule& schedule) {
  std::string text = "stages = [\n";
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
    text += "  \"";
    for (const Task& task : schedule.stages[stage]) text += to_string(task, std::int64_t(stage)) + " ";
    if (text.back() == ' ') text.pop_back();
    text += "\",\n";
  }
  return text + "]\n";
}

}  // namespace podsim::hlo::pipeline
