// SPDX-License-Identifier: Apache-2.0
#include "app/point_worker.h"

#include <malloc.h>

#include <exception>
#include <utility>

#include "app/child_process.h"
#include "app/command_line.h"
#include "app/run_command.h"
#include "base/diagnostic.h"
#include "hw/machine.h"

namespace podsim::app {

PointOutput PointWorker::run(const PointTask& task) {
  std::vector<std::string> words = {"podsim"};
  words.insert(words.end(), task.arguments.begin(), task.arguments.end());
  words.emplace_back("--json");
  if (const std::optional<RunOptions> options = step_options(words)) return run_step(*options, words, task.limit_s);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return run_in_child([&] { return run_command_line(int(pointers.size()), pointers.data()); }, task.limit_s);
}

/// What is wrong with the options comes out again in the child, which says so.
PointOutput PointWorker::run_step(const RunOptions& options, const std::vector<std::string>& words,
                                  std::int64_t limit_s) {
  SharedWork shared;
  open_cache(options.op_cache);
  try {
    shared.machine = options.machine.load();
    look_at(options, *shared.machine);
  } catch (const base::InputError&) {
    key_.clear();
    step_.reset();
  }
  RunOptions own = options;
  own.op_cache.clear();
  const auto in_child = [&] {  // which has the worker's memory for itself
    shared.step = std::move(step_);
    shared.op_cache = cache_ ? &*cache_ : nullptr;
    return with_errors_printed([&] { return run_workload(own, recorded_command_line(words), std::move(shared)); });
  };
  const PointOutput output = run_in_child(in_child, limit_s);
  if (output.exit_code == out_of_time) compile_alone_ = true;  // here nothing would end it
  if (cache_) cache_->take_use();                              // the child has counted it as its own
  return output;
}

void PointWorker::open_cache(const std::string& file) {
  if (file != cache_file_) {
    cache_.reset();
    cache_file_ = file;
    try {
      if (!file.empty()) cache_.emplace(file);
    } catch (const base::InputError&) {
      cache_.reset();
    }
  } else if (cache_) {
    cache_->refresh();
  }
}

/// Compiles the step of a key that comes for the second time.
void PointWorker::look_at(const RunOptions& options, const base::Config& machine) {
  std::string key = step_key(options, machine);
  if (key != key_) {
    key_ = std::move(key);
    compile_alone_ = false;
    step_.reset();
    return;
  }
  if (step_ || compile_alone_) return;
  compile_alone_ = true;
  try {
    const hw::Machine of_step = hw::read_machine(machine);
    CompiledStep step = StepCompiler(options, of_step).compile(cache_ ? &*cache_ : nullptr);
    if (!step.shareable()) return;
    step_ = std::move(step);
    compile_alone_ = false;
    if (cache_) cache_->save();
    malloc_trim(0);  // what compiling leaves behind would be copied, page by page, for every child that writes there
  } catch (const std::exception&) {
    step_.reset();
  }
}

}  // namespace podsim::app
