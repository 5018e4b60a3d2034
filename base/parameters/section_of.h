// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::base::parameters {

/// Forward declaration of the keys of a record's section (section.h), for the headers that define records.
template <class Record>
class Section;

}  // namespace podsim::base::parameters
