// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/report/html/run_files.h"

namespace podsim::sw {

/// A run as one page (html_page.h), below a megabyte: where the step goes, roofline, ops, timeline, links, memory,
/// mesh, machine, assumptions, notes. Of a program of very many ops the texts of the cheapest, and then those ops, are
/// left out, and the page says so. InputError when stats.json lacks figures or has others in their place.
std::string run_page(const RunFiles& files);

}  // namespace podsim::sw
