// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "workloads/model_options.h"
#include "workloads/nets/net.h"

/// The forms in which users write programs: one list, by which every command and study decides what a program's name
/// means.
namespace podsim::workloads::importers {

/// One form. `program` is the word that names a program, "net.toml" or "net.py:resnet"; `argument` names the argument
/// with it in messages; `settings` are keys of the model. All functions throw base::InputError.
struct Importer {
  std::string_view what;                            ///< for messages: "a page of layers"
  bool (*takes)(const std::string& program);        ///< by how the word is written
  std::string (*file)(const std::string& program);  ///< that the program is in
  bool has_keys;  ///< it has its own keys "model.NAME", which it checks when it reads the settings
  bool is_step;   ///< it is compiled into a step; otherwise only `podsim run` takes it, as layers on one core

  /// A network, whose batch, optimiser and number of cores are still open. Null for programs in which they are fixed.
  nets::Net (*net)(const std::string& argument, const std::string& program, const ModelSettings& settings);
  /// Text or protobuf that hlo/text/reader.h reads; of a network, its step for one core.
  std::string (*text)(const std::string& argument, const std::string& program, const ModelSettings& settings);
};

/// In the order in which they are asked.
std::span<const Importer> importers();

/// The importer that takes a word which is written like a program of the user's; null for another word, which names a
/// built-in workload, or a file in the folder where the program runs.
const Importer* importer_of(const std::string& program);

/// Whether the word is that of a network: importer_of() has a `net`.
bool is_net(const std::string& program);
/// Whether the word is that of a program with keys of the model of its own.
bool has_keys(const std::string& program);
/// Whether a program becomes a step: all do but those whose importer says no.
bool is_step(const std::string& program);
/// The file that the program is in; another word itself.
std::string file_of(const std::string& program);

}  // namespace podsim::workloads::importers
