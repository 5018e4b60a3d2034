// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace podsim::hlo::proto {

/// True if the bytes begin like a message of one of the forms below; HLO text never does.
bool is_module_proto(std::string_view bytes);

/// The HLO text of the first module in a protobuf: an HloModuleProto, or a message whose first field holds one, at any
/// depth (HloProto, HloSnapshot, TuningData). Arrays of constants are elided; scalars are not. A field that is not
/// known is ignored. Throws base::InputError if the bytes are damaged or name what does not exist.
std::string module_text(const std::string& file, std::string_view bytes);

/// The texts of all instructions of that module by their names, as profilers print them: "%copy.2 = f32[8]{0}
/// copy(f32[8]{0} %x)". Throws as module_text does.
std::map<std::string, std::string, std::less<>> instruction_texts(const std::string& file, std::string_view bytes);

}  // namespace podsim::hlo::proto
