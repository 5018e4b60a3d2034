// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/systemc/context.h"

namespace podsim::base::systemc {

/// A context that is entered for the lifetime of this object. Modules made in the meantime must be destroyed first.
class FreshContext {
 private:
  Context own_;
  InContext inside_{own_};
};

}  // namespace podsim::base::systemc
