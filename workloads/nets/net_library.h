// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace podsim::workloads::nets {

/// The page of layers that a shared library writes, made with include/podsim/net.h: what its podsim_net() returns. The
/// library is loaded in a process of its own; what it prints goes to stderr. `argument` names the argument with the
/// file in messages. Throws base::InputError at it if the library cannot be loaded, has no such function or a form that
/// this program does not read, if its function throws, and if it ends the process.
std::string page_of_library(const std::string& argument, const std::string& file);

}  // namespace podsim::workloads::nets
