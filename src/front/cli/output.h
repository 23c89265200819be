// What the program prints: one report on standard output, one line per failure on standard error.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "front/cli/context.h"
#include "layout/shard_header.h"
#include "shard/file_error.h"
#include "shard/finding.h"

namespace parapet::front {

/// Keeps its fields in the order in which they were put in.
using Json = nlohmann::ordered_json;

/// Prints `text`, or with --json `json` as one object.
void print_report(const Context& context, const std::string& text, const Json& json);

/// Prints "parapet: `message`" on standard error, with --json also {"error": message, "kind": kind} on standard output.
void print_error(const Context& context, const std::string& message, const char* kind);
/// The same for an error of the library. Sets the exit status.
void fail(Context& context, const shard::FileError& error);

/// Whether everything printed so far has reached standard output.
bool flush_output();

/// The fields that tell a set: code, set id, sizes.
Json set_json(const layout::ShardHeader& header);
Json findings_json(const std::vector<shard::Finding>& findings);
/// The findings one per line, indented; empty when there are none.
std::string findings_text(const std::vector<shard::Finding>& findings);

}  // namespace parapet::front
