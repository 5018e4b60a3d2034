// SPDX-License-Identifier: Apache-2.0
#include "app/options/byte_amount.h"

#include <algorithm>
#include <cstdint>

#include "base/diagnostic.h"
#include "base/dimensional.h"
#include "base/host/arguments.h"

namespace podsim::app::options {
namespace {

constexpr std::int64_t max_bytes = std::int64_t(1) << 40;

}  // namespace

base::Bytes parse_bytes(std::string_view flag, const std::string& text) {
  if (std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
    return base::Bytes(base::host::parse_whole_number(flag, text, 1, max_bytes));
  }
  const base::Dimensional value = base::parse_dimensional(text, base::host::argument_location(flag, text));
  base::host::locate_errors(flag, text, [&] {
    if (value.kind == base::Dimensional::Kind::bytes && value.si >= 1 && value.si <= double(max_bytes)) return;
    throw base::InputError("'" + text + "' is not an amount of data from 1 B to 1 TiB");
  });
  return base::Bytes(std::int64_t(value.si));
}

}  // namespace podsim::app::options
