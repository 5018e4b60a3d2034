// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/pasm/report.h"
#include "hw/isa/pasm/syntax.h"

namespace podsim::hw::isa::pasm {

/// Reads a file as far as it can be read; what cannot is reported, and reading goes on behind it.
FileText parse(Report& report);

}  // namespace podsim::hw::isa::pasm
