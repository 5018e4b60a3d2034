// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/trace/gtkw_writer.h"
#include "base/trace/probe.h"
#include "base/trace/vcd_writer.h"

namespace podsim::app::output {

/// A waveform and its GTKWave save file, which has the same name with .gtkw in the same folder. Both appear when
/// finish() returns.
class TraceFile : public base::trace::ProbeSink {
 public:
  /// Throws InputError if either file cannot be written.
  TraceFile(const std::filesystem::path& vcd, std::vector<std::string> patterns);

  bool wants(std::string_view name) const override;
  int declare(std::string_view scope, std::string_view name, base::trace::SignalKind kind, int bits) override;
  void change(int id, base::Time now, std::int64_t value) override { writer_.change(id, now, value); }
  void change(int id, base::Time now, double value) override { writer_.change(id, now, value); }
  void change(int id, base::Time now, std::string_view value) override { writer_.change(id, now, value); }
  void expect(base::Time at, base::trace::Forecast& forecast) override { writer_.expect(at, forecast); }
  void keep(std::shared_ptr<base::trace::Forecast> forecast) override { writer_.keep(std::move(forecast)); }

  /// Call after all signals are declared. Throws InputError, with the nearest name, for a pattern that matches no
  /// signal.
  void check_patterns() const;
  /// Adds a named marker to the save file, unless it has one of this name.
  void mark(std::string_view name, base::Time at);
  void finish(base::Time end);

  const std::filesystem::path& vcd() const { return vcd_; }
  const std::filesystem::path& save_file() const { return save_file_; }

 private:
  std::string hint_for(const std::string& pattern) const;

  std::filesystem::path vcd_, save_file_;
  base::trace::VcdWriter writer_;
  mutable std::vector<std::string> names_;  ///< of every signal, traced or not
  std::vector<base::trace::GtkwMarker> markers_;
};

}  // namespace podsim::app::output
