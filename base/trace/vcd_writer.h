// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/host/output_file.h"
#include "base/trace/forecast.h"
#include "base/trace/line_buffer.h"
#include "base/trace/probe.h"
#include "base/trace/traced_signal.h"
#include "base/units.h"

/// Writes a value change dump (IEEE 1364) that GTKWave opens, in picoseconds.
///
/// The cost is per change, not per signal and time step. The output is deterministic: no date, scopes and signals in
/// order of declaration. Scope names such as `chip(0,0)` are written as they are (GTKWave keeps parentheses and
/// commas); a blank becomes '_'. Text signals are `$var string`, GTKWave's extension for state and op names, with bytes
/// other than printable ASCII escaped as `\ooo`. Every signal is unknown (x, NaN, empty text) until its first change.
namespace podsim::base::trace {

class VcdWriter : public ProbeSink {
 public:
  /// Traces the signals whose full name matches a pattern ('chip(0,0).*', '*.mxu0.state'), or all signals without
  /// patterns. The file appears when finish() returns. InputError if it cannot be written.
  VcdWriter(const std::filesystem::path& path, std::vector<std::string> patterns);
  /// As above, to a stream that must outlive the writer.
  VcdWriter(std::ostream& out, std::vector<std::string> patterns);
  ~VcdWriter() override;

  bool wants(std::string_view name) const override;
  int declare(std::string_view scope, std::string_view name, SignalKind kind, int bits) override;
  // Changes come in order of time, and all except those at time zero come after the last declaration (modules set
  // initial values as they are built); otherwise std::logic_error. Changes that forecasts add are in order of time too.
  void change(int id, Time now, std::int64_t value) override;
  void change(int id, Time now, double value) override;
  void change(int id, Time now, std::string_view value) override;
  void expect(Time at, Forecast& forecast) override { forecasts_.push(at, forecast); }
  void keep(std::shared_ptr<Forecast> forecast) override { forecasts_.keep(std::move(forecast)); }
  /// Ends the trace at `end`, or at the last change if that is later, so that the last values have a duration, and
  /// closes it.
  void finish(Time end);

  const std::vector<TracedSignal>& signals() const { return signals_; }
  /// Patterns that no declared signal matched, most likely because of typing errors.
  std::vector<std::string> unmatched_patterns() const;

 private:
  struct Variable {
    std::array<char, 8> line_end;  ///< the identifier in the dump, and a new line
    std::size_t line_end_size;
    SignalKind kind;
    int bits;
  };
  void write_header();
  void advance(Time now);
  /// Space for a line with a value of this many characters, and the end of such a line.
  char* space(const Variable& variable, std::size_t value);
  void end_line(char* out, const Variable& variable);
  void flush();

  std::vector<std::string> patterns_;
  std::vector<bool> matched_;
  std::vector<TracedSignal> signals_;
  std::vector<Variable> variables_;
  std::unique_ptr<host::OutputFile> file_;
  std::ostream& out_;
  ForecastQueue forecasts_;
  LineBuffer buffer_;
  Time now_;
  bool started_ = false;
};

}  // namespace podsim::base::trace
