// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/html/run_files.h"

namespace podsim::report::html {

/// Shows a run as one page (html_page.h) of less than a megabyte: breakdown of the step, roofline, ops, timeline,
/// links, memory, mesh, machine, assumptions, notes. If a program has too many ops, the page leaves out the texts of
/// the cheapest, and then those ops, and states that. Throws base::InputError if stats.json lacks figures or has them
/// in another form.
std::string run_page(const RunFiles& files);

}  // namespace podsim::report::html
