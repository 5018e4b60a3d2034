// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/point_worker.h"

#include <malloc.h>

#include <exception>
#include <utility>

#include "app/output/printed_errors.h"
#include "app/run/run_command.h"
#include "base/diagnostic.h"
#include "base/host/child_process.h"
#include "base/host/exit_code.h"
#include "sw/target_machine.h"

namespace podsim::app::sweep {

base::host::ProcessOutput PointWorker::run(const studies::sweep::PointTask& task) {
  std::vector<std::string> words = {"podsim"};
  words.insert(words.end(), task.arguments.begin(), task.arguments.end());
  words.emplace_back("--json");
  if (const std::optional<run::RunOptions> options = run::step_options(words))
    return run_step(*options, words, task.limit_s);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return base::host::run_in_child([&] { return run_program_(int(pointers.size()), pointers.data()); }, task.limit_s);
}

/// Runs a step in a child process. Errors in the options appear again in the child, which reports them.
base::host::ProcessOutput PointWorker::run_step(const run::RunOptions& options, const std::vector<std::string>& words,
                                                std::int64_t limit_s) {
  run::SharedWork shared;
  open_cache(options.op_cache);
  try {
    shared.machine = options.machine.load();
    look_at(options, *shared.machine);
  } catch (const base::InputError&) {
    key_.clear();
    step_.reset();
  }
  run::RunOptions own = options;
  own.op_cache.clear();
  if (!own.detail) own.detail = "replay";  // the same figures as with a chip of units, in a tenth of the time
  const auto in_child = [&] {              // a copy of the worker's memory, which it may modify
    shared.step = std::move(step_);
    shared.op_cache = cache_ ? &*cache_ : nullptr;
    return output::with_errors_printed(
        [&] { return run::run_workload(own, run::recorded_command_line(words), std::move(shared)); });
  };
  base::host::ProcessOutput output = base::host::run_in_child(in_child, limit_s);
  if (output.exit_code == base::host::out_of_time) compile_alone_ = true;  // compiling in the worker has no time limit
  if (cache_) cache_->take_use();                                          // the child reports these hits and misses
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

/// Compiles the step when its key comes for the second time in a row.
void PointWorker::look_at(const run::RunOptions& options, const base::Config& machine) {
  std::string key = run::step_key(options, machine);
  if (key != key_) {
    key_ = std::move(key);
    compile_alone_ = options.partition.chooses_update();  // which simulates, and may not in this process
    step_.reset();
    return;
  }
  if (step_ || compile_alone_) return;
  compile_alone_ = true;
  try {
    const sw::TargetMachine of_step = sw::read_target(machine);
    run::CompiledStep step = run::StepCompiler(options, of_step).compile(cache_ ? &*cache_ : nullptr);
    if (!step.shareable()) return;
    step_ = std::move(step);
    compile_alone_ = false;
    if (cache_) cache_->save();
    malloc_trim(0);  // pages freed by the compiler would otherwise be copied in every child that writes to them
  } catch (const std::exception&) {
    step_.reset();
  }
}

}  // namespace podsim::app::sweep
