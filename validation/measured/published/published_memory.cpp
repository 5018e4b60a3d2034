// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/published_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/csv_rows.h"
#include "base/diagnostic.h"
#include "validation/measured/published/row_words.h"

namespace podsim::validation::measured::published {
namespace {

/// Divides "NAME (SIZES)".
void read_model(PublishedMemory& memory, std::string_view text) {
  const std::size_t open = text.find(" ("), close = text.rfind(')');
  memory.model = text.substr(0, open);
  if (open != std::string_view::npos && close != std::string_view::npos && close > open) {
    memory.sizes = text.substr(open + 2, close - open - 2);
  }
}

/// Reads "0.85", or "11.7 parameters and slots + 3.15 activations".
void read_figure(PublishedMemory& memory, const base::CsvRow& row) {
  const std::string_view text = row.text("peak_gb_per_device");
  for (std::string_view rest = text; !rest.empty();) {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || !std::isfinite(number) || number <= 0) {
      throw base::InputError(
          base::Diagnostic{.message = fmt::format("'{}' is not a number of GB, nor a sum of them", text),
                           .location = row.location("peak_gb_per_device"),
                           .hint = "0.85, or 11.7 parameters and slots + 3.15 activations"});
    }
    memory.figure += number;
    const std::size_t plus = rest.find(" + ");
    std::string_view what = rest.substr(std::size_t(end - rest.data()));
    what = what.substr(0, what.find(" + "));
    what.remove_prefix(std::min(what.find_first_not_of(' '), what.size()));
    if (!what.empty()) memory.contains += fmt::format("{}{}", memory.contains.empty() ? "" : ", ", what);
    rest = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 3);
  }
  memory.figure /= double(number_after(text, "in all ").value_or(1));
}

}  // namespace

std::vector<PublishedMemory> published_memory(const std::string& file, std::string_view text) {
  std::vector<PublishedMemory> rows;
  base::read_csv_rows(file, text, "model", [&](const base::CsvRow& row) {
    PublishedMemory memory;
    read_model(memory, row.text("model"));
    for (const PublishedMemory& before : rows) {
      if (memory.sizes.empty() && before.model == memory.model) memory.sizes = before.sizes;
    }
    memory.sequence = std::int64_t(row.positive("tokens_of_a_sequence"));
    read_figure(memory, row);
    if (!row.empty("note")) memory.contains += (memory.contains.empty() ? "" : "; ") + row.text("note");
    choose_command(memory);
    rows.push_back(std::move(memory));
  });
  return rows;
}

}  // namespace podsim::validation::measured::published
