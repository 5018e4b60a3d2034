// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/request_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/csv_rows.h"
#include "base/diagnostic.h"
#include "workloads/serving/event_time.h"
#include "workloads/serving/load.h"

namespace podsim::workloads::serving {
namespace {

using TraceJson = nlohmann::json;

constexpr std::int64_t most_tokens = 100'000'000;
constexpr double most_seconds = 1e9;

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Days from 1970-01-01, after Howard Hinnant's days_from_civil.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

/// Takes seconds, or a date such as "2023-11-16 18:17:03.9799600".
std::optional<double> seconds_of(std::string_view text) {
  if (const auto seconds = number_of(text)) return seconds;
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':') return std::nullopt;
  const auto part = [&](std::size_t begin, std::size_t length) { return number_of(text.substr(begin, length)); };
  std::string_view seconds = text.substr(17);
  if (seconds.ends_with('Z')) seconds.remove_suffix(1);
  const auto year = part(0, 4), month = part(5, 2), day = part(8, 2), hour = part(11, 2), minute = part(14, 2),
             second = number_of(seconds);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  if (*month < 1 || *month > 12 || *day < 1 || *day > 31) return std::nullopt;
  const std::int64_t days = days_of(std::int64_t(*year), std::int64_t(*month), std::int64_t(*day));
  // From 2000 on, so that nanoseconds are kept.
  return double(days - 10'957) * 86'400 + *hour * 3600 + *minute * 60 + *second;
}

struct TimedRequest {
  double seconds = 0;
  Request request;
};

[[noreturn]] void refuse(const std::string& message, const std::string& hint = "") {
  throw base::InputError(message, hint);
}

std::int64_t tokens_of(double value, const char* what) {
  if (value != std::floor(value) || value < 0 || value > double(most_tokens)) {
    refuse(fmt::format("{} is not a number of tokens from 0 to {}", what, most_tokens));
  }
  return std::int64_t(value);
}

TimedRequest request_of(double seconds, double input, double output, double priority) {
  if (!(std::abs(seconds) <= most_seconds)) refuse("the time of a request is out of range");
  if (priority != std::floor(priority) || std::abs(priority) > 1000) refuse("a priority is a whole number up to 1000");
  TimedRequest of{seconds, {}};
  of.request.input = tokens_of(input, "the input");
  of.request.output = std::max<std::int64_t>(1, tokens_of(output, "the output"));
  of.request.priority = int(priority);
  if (of.request.input == 0) refuse("a prompt has one token at least");
  return of;
}

std::vector<TimedRequest> read_csv(const std::string& file, std::string_view text) {
  std::vector<TimedRequest> found;
  base::read_csv_rows(file, text, "", [&](const base::CsvRow& row) {
    const bool azure = row.has("TIMESTAMP");
    const std::string time = azure ? "TIMESTAMP" : "arrival_s", input = azure ? "ContextTokens" : "input",
                      output = azure ? "GeneratedTokens" : "output";
    const auto number = [&](const std::string& column) {
      const auto value = number_of(row.text(column));
      if (value) return *value;
      throw base::InputError({base::Diagnostic::Severity::error, fmt::format("'{}' is not a number", row.text(column)),
                              row.location(column), ""});
    };
    const auto seconds = seconds_of(row.text(time));
    if (!seconds) {
      throw base::InputError({base::Diagnostic::Severity::error, fmt::format("'{}' is not a time", row.text(time)),
                              row.location(time), "seconds, or such as 2023-11-16 18:17:03.98"});
    }
    const double priority = row.has("priority") ? number("priority") : 0;
    try {
      found.push_back(request_of(*seconds, number(input), number(output), priority));
    } catch (const base::InputError& error) {
      std::vector<base::Diagnostic> all = error.diagnostics();
      if (all[0].location.file.empty()) all[0].location = row.location(input);
      throw base::InputError(std::move(all));
    }
  });
  return found;
}

double json_number(const TraceJson& object, const char* key, std::optional<double> otherwise = {}) {
  const auto found = object.find(key);
  if (found == object.end() && otherwise) return *otherwise;
  if (found == object.end()) refuse(fmt::format("a request has no '{}'", key));
  if (!found->is_number()) refuse(fmt::format("'{}' is not a number", key));
  return found->get<double>();
}

std::vector<TimedRequest> read_json_lines(const std::string& file, std::string_view text) {
  std::vector<TimedRequest> found;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      const TraceJson object = TraceJson::parse(line, nullptr, false);
      if (!object.is_object()) refuse("a line is not a JSON object");
      const double milliseconds = json_number(object, "timestamp"), input = json_number(object, "input_length"),
                   output = json_number(object, "output_length"), priority = json_number(object, "priority", 0);
      TimedRequest of = request_of(milliseconds / 1000, input, output, priority);
      if (const auto ids = object.find("hash_ids"); ids != object.end()) {
        if (!ids->is_array()) refuse("'hash_ids' is not a list");
        for (const TraceJson& id : *ids) {
          if (!id.is_number_integer()) refuse("'hash_ids' has an entry that is not a whole number");
          of.request.blocks.push_back(std::uint64_t(id.get<std::int64_t>()));
        }
      }
      found.push_back(std::move(of));
    } catch (const base::InputError& error) {
      std::vector<base::Diagnostic> all = error.diagnostics();
      all[0].location = {.file = file, .line = number, .column = 1, .length = 1, .line_text = std::string(line)};
      throw base::InputError(std::move(all));
    }
  }
  return found;
}

}  // namespace

std::vector<Request> read_requests(const std::string& file, std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  std::vector<TimedRequest> found = json ? read_json_lines(file, text) : read_csv(file, text);
  if (found.empty()) throw base::InputError(fmt::format("{} has no requests", file));
  if (std::int64_t(found.size()) > most_requests) {
    throw base::InputError(fmt::format("{} has more than {} requests", file, most_requests));
  }
  std::ranges::stable_sort(found, {}, &TimedRequest::seconds);
  std::vector<Request> requests;
  for (TimedRequest& of : found) {
    of.request.arrival =
        event_time(of.seconds - found.front().seconds, file + " has requests for longer", "a shorter trace");
    requests.push_back(std::move(of.request));
  }
  return requests;
}

}  // namespace podsim::workloads::serving
