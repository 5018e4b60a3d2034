// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "base/systemc/systemc_time.h"
#include "hw/core/core.h"

namespace podsim::hw {

/// Runs one list of commands on every core and keeps their reports.
class ScriptedRuntime : public core::CoreRuntime {
 public:
  struct Entry {
    Command command;
    base::Cycles start, end;
    base::Time end_time;
    OpResult op;
    base::Cycles waiting;
  };
  using Key = std::pair<int, int>;

  explicit ScriptedRuntime(std::vector<Command> program) : program_(std::move(program)) {}

  std::optional<Command> next_command(core::Core& core) override {
    std::size_t& position = positions_[key(core)];
    if (position == program_.size()) return std::nullopt;
    return program_[position++];
  }
  void completed(core::Core& core, const CommandRecord& record) override {
    records_[key(core)].push_back(
        {record.command, record.start, record.end, base::systemc::now(), record.op, record.waiting});
  }
  void start_external(core::Core& core, const External& command) override {
    externals_.emplace_back(&core, command.id);
  }
  void failed(core::Core&, const std::string& verdict) override { failure_ = verdict; }

  const std::vector<Entry>& records(int chip = 0, int core = 0) const { return records_.at({chip, core}); }
  bool has_records(int chip, int core) const { return records_.contains({chip, core}); }
  std::vector<std::pair<core::Core*, std::uint64_t>>& externals() { return externals_; }
  const std::string& failure() const { return failure_; }

 private:
  static Key key(const core::Core& core) { return {core.id().chip, core.id().core}; }

  std::vector<Command> program_;
  std::map<Key, std::size_t> positions_;
  std::map<Key, std::vector<Entry>> records_;
  std::vector<std::pair<core::Core*, std::uint64_t>> externals_;
  std::string failure_;
};

}  // namespace podsim::hw
