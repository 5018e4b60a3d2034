// SPDX-License-Identifier: Apache-2.0
#include "workloads/lengths/length_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/input_file.h"
#include "base/text/words.h"

namespace podsim::workloads::lengths {
namespace {

using base::text::Word;

constexpr std::int64_t max_tokens = 1 << 20, max_steps = 1'000'000, max_seed = std::int64_t(1) << 62;
constexpr std::string_view example = "'mean=26 sd=13 buckets=20,30,50'";

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  LengthPlan plan() {
    for (const Word& word : base::text::words_of(text_, " ")) take(word);
    if (!plan_.counts.empty() && plan_.mean > 0) reject({0, text_}, "both counts and a mean are given", "one of them");
    if (plan_.counts.empty() && plan_.mean == 0) {
      reject({0, text_}, "lengths need a law", fmt::format("{} or 'counts=FILE'", example));
    }
    if (!plan_.counts.empty() && plan_.sd > 0) reject({0, text_}, "sd is for a law with a mean", "");
    return std::move(plan_);
  }

 private:
  void take(const Word& word) {
    static const std::vector<std::string> names{"mean", "sd", "counts", "most", "buckets", "steps", "seed"};
    const std::size_t equals = word.text.find('=');
    const std::string name(word.text.substr(0, equals));
    const auto known = std::ranges::find(names, name);
    if (equals == std::string_view::npos || known == names.end()) {
      const std::string meant = base::did_you_mean(name, names);
      reject(word, fmt::format("'{}' is no part of lengths", word.text),
             meant.empty() ? "parts: mean=N, sd=N, counts=FILE, most=N, buckets=N,N,... (N:ARRAY if arrays are "
                             "longer), steps=N and seed=N"
                           : meant);
    }
    const Word value{word.begin + equals + 1, word.text.substr(equals + 1)};
    if (name == "mean") plan_.mean = real(value, 1);
    if (name == "sd") plan_.sd = real(value, 0);
    if (name == "counts") plan_.counts = file(value);
    if (name == "most") plan_.most = whole(value, 1, max_tokens);
    if (name == "buckets") buckets(value);
    if (name == "steps") plan_.steps = whole(value, 1, max_steps);
    if (name == "seed") plan_.seed = std::uint64_t(whole(value, 0, max_seed));
  }

  void buckets(const Word& value) {
    plan_.buckets.clear();
    for (const Word& end : base::text::words_of(value.text, ",")) {
      const std::size_t colon = std::min(end.text.find(':'), end.text.size());
      const Word word{value.begin + end.begin, end.text.substr(0, colon)};
      LengthBucket bucket{.end = whole(word, 1, max_tokens)};
      if (!plan_.buckets.empty() && bucket.end <= plan_.buckets.back().end) {
        reject(word,
               fmt::format("a bucket ends at {} tokens, the one before at {}", bucket.end, plan_.buckets.back().end),
               "ends in ascending order");
      }
      bucket.array = bucket.end;
      if (colon < end.text.size()) {
        bucket.array = whole({word.begin + colon + 1, end.text.substr(colon + 1)}, bucket.end, max_tokens);
      }
      plan_.buckets.push_back(bucket);
    }
    if (plan_.buckets.empty()) reject(value, "no bucket is given", example.data());
  }

  std::string file(const Word& value) const {
    if (value.text.empty()) reject(value, "no file is given", "");
    return std::string(value.text);
  }

  std::int64_t whole(const Word& word, std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    if (!parsed(word, value) || value < least || value > most) {
      reject(word, fmt::format("'{}' is not a whole number from {} to {}", word.text, least, most), "");
    }
    return value;
  }

  double real(const Word& word, double least) const {
    double value = 0;
    if (!parsed(word, value) || !(value >= least && value <= double(max_tokens))) {
      reject(word, fmt::format("'{}' is not a number of tokens from {} to {}", word.text, least, max_tokens), "");
    }
    return value;
  }

  template <typename Number>
  static bool parsed(const Word& word, Number& value) {
    const auto [end, error] = std::from_chars(word.text.data(), word.text.data() + word.text.size(), value);
    return error == std::errc() && end == word.text.data() + word.text.size();
  }

  [[noreturn]] void reject(const Word& word, std::string message, std::string hint) const {
    throw base::InputError(
        {base::Diagnostic::Severity::error, std::move(message),
         base::host::argument_location("--lengths", text_, word.begin, std::max<std::size_t>(word.text.size(), 1)),
         std::move(hint)});
  }

  std::string_view text_;
  LengthPlan plan_;
};

}  // namespace

LengthPlan parse_lengths(std::string_view text) { return Parser(text).plan(); }

LengthLaw law_of(const LengthPlan& plan, std::int64_t longest) {
  const std::int64_t most = plan.most.value_or(longest);
  if (most > longest) {
    throw base::InputError(fmt::format("samples of {} tokens are longer than all arrays allow, {}", most, longest),
                           "most=N leaves longer samples out");
  }
  if (plan.counts.empty()) return log_normal_lengths(plan.mean, plan.sd, most);
  return counted_lengths(plan.counts, base::host::read_input("--lengths", plan.counts), most);
}

std::string law_text(const LengthPlan& plan) {
  return plan.counts.empty() ? fmt::format("log-normal, mean {:g}, sd {:g}", plan.mean, plan.sd)
                             : "counts of " + plan.counts;
}

}  // namespace podsim::workloads::lengths
