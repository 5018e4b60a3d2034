// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/diagnostic_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace podsim::studies::plan {

namespace {

constexpr std::size_t max_shown = 20;

/// Converts a location within a value's text, as errors of command-line arguments have, into one in the file.
base::SourceLocation moved(const base::SourceLocation& inner, const base::SourceLocation& place) {
  if (inner.file.empty() || inner.column == 0) return place;
  base::SourceLocation result = place;
  result.column += inner.column - 1;
  result.length = inner.length;
  return result;
}

}  // namespace

void DiagnosticList::error(base::SourceLocation place, std::string message, std::string hint) {
  add({base::Diagnostic::Severity::error, std::move(message), std::move(place), std::move(hint)});
}

void DiagnosticList::add(base::Diagnostic diagnostic) {
  const auto key = [](const base::Diagnostic& d) {
    return std::tie(d.message, d.location.file, d.location.line, d.location.column);
  };
  const bool known =
      std::ranges::any_of(diagnostics_, [&](const base::Diagnostic& other) { return key(other) == key(diagnostic); });
  if (!known) diagnostics_.push_back(std::move(diagnostic));
}

void DiagnosticList::add(const base::InputError& error, const base::SourceLocation& place) {
  for (base::Diagnostic diagnostic : error.diagnostics()) {
    if (diagnostic.location.line == 0) diagnostic.location = moved(diagnostic.location, place);
    add(std::move(diagnostic));
  }
}

void DiagnosticList::collect(const base::SourceLocation& place, const std::function<void()>& body) {
  try {
    body();
  } catch (const base::InputError& error) {
    add(error, place);
  }
}

void DiagnosticList::throw_if_any() {
  if (diagnostics_.empty()) return;
  std::ranges::stable_sort(diagnostics_, {},
                           [](const base::Diagnostic& d) { return std::pair(d.location.line, d.location.column); });
  if (diagnostics_.size() > max_shown) {
    const std::size_t rest = diagnostics_.size() - max_shown;
    diagnostics_.resize(max_shown);
    diagnostics_.push_back({base::Diagnostic::Severity::note, fmt::format("and {} more", rest), {}, ""});
  }
  throw base::InputError(std::move(diagnostics_));
}

}  // namespace podsim::studies::plan
