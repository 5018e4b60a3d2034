// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/gtkw_writer.h"
#include "base/probe.h"
#include "base/vcd_writer.h"

namespace podsim::app {

/// A waveform and the GTKWave save file beside it (the same name with .gtkw); both appear when finish() returns.
class TraceFile : public base::ProbeSink {
 public:
  /// InputError when either file cannot be written.
  TraceFile(const std::filesystem::path& vcd, std::vector<std::string> patterns);

  bool wants(std::string_view name) const override;
  int declare(std::string_view scope, std::string_view name, base::SignalKind kind, int bits) override;
  void change(int id, base::Time now, std::int64_t value) override { writer_.change(id, now, value); }
  void change(int id, base::Time now, double value) override { writer_.change(id, now, value); }
  void change(int id, base::Time now, std::string_view value) override { writer_.change(id, now, value); }

  /// To be called once all signals are declared: InputError for a pattern that matches none of them, with the nearest
  /// name there is.
  void check_patterns() const;
  /// A named place in the save file, if its name is new.
  void mark(std::string_view name, base::Time at);
  void finish(base::Time end);

  const std::filesystem::path& vcd() const { return vcd_; }
  const std::filesystem::path& save_file() const { return save_file_; }

 private:
  std::string hint_for(const std::string& pattern) const;

  std::filesystem::path vcd_, save_file_;
  base::VcdWriter writer_;
  mutable std::vector<std::string> names_;  ///< of every signal there is, traced or not
  std::vector<base::GtkwMarker> markers_;
};

}  // namespace podsim::app
