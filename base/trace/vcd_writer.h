// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/output_file.h"
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
  // initial values as they are built); otherwise std::logic_error.
  void change(int id, Time now, std::int64_t value) override;
  void change(int id, Time now, double value) override;
  void change(int id, Time now, std::string_view value) override;
  /// Ends the trace at `end`, or at the last change if that is later, so that the last values have a duration, and
  /// closes it.
  void finish(Time end);

  const std::vector<TracedSignal>& signals() const { return signals_; }
  /// Patterns that no declared signal matched, most likely because of typing errors.
  std::vector<std::string> unmatched_patterns() const;

 private:
  struct Variable {
    std::string code;  ///< the identifier in the dump
    SignalKind kind;
    int bits;
  };
  void write_header();
  void advance(Time now);
  void flush();

  std::vector<std::string> patterns_;
  std::vector<bool> matched_;
  std::vector<TracedSignal> signals_;
  std::vector<Variable> variables_;
  std::unique_ptr<host::OutputFile> file_;
  std::ostream& out_;
  std::string buffer_;
  Time now_;
  bool started_ = false;
};

}  // namespace podsim::base::trace
