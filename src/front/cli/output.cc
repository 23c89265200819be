#include "front/cli/output.h"

#include <fmt/format.h>

#include <cstdio>

namespace parapet::front {
namespace {

const char* kind_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid-argument";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::too_many_losses:
      return "too-many-losses";
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::io_failed:
      return "io-failed";
    case ErrorCode::no_space:
      return "no-space";
    case ErrorCode::not_found:
      return "not-found";
    case ErrorCode::already_exists:
      return "already-exists";
    case ErrorCode::interrupted:
      return "interrupted";
  }
  return "";
}

/// Names of files may hold any bytes; JSON may not.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

void print_report(const Context& context, const std::string& text, const Json& json) {
  std::fputs(context.json ? dump(json).c_str() : text.c_str(), stdout);
}

void print_error(const Context& context, const std::string& message, const char* kind) {
  if (context.json) std::fputs(dump({{"error", message}, {"kind", kind}}).c_str(), stdout);
  std::fputs(fmt::format("parapet: {}\n", message).c_str(), stderr);
}

void fail(Context& context, const shard::FileError& error) {
  print_error(context, error.message(), kind_of(error.error.code));
  context.exit_status = exit_bad;
}

bool flush_output() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

Json set_json(const layout::ShardHeader& header) {
  return {{"code", header.code}, {"set_id", header.set_id.text()},    {"k", header.k},
          {"m", header.m},       {"file_length", header.file_length}, {"chunk_size", header.chunk_size}};
}

Json findings_json(const std::vector<shard::Finding>& findings) {
  Json list = Json::array();
  for (const shard::Finding& finding : findings)
    list.push_back({{"kind", shard::kind_text(finding.kind)},
                    {"file", finding.file.empty() ? Json() : Json(finding.file)},
                    {"index", finding.index ? Json(*finding.index) : Json()},
                    {"text", finding.text}});
  return list;
}

std::string findings_text(const std::vector<shard::Finding>& findings) {
  std::string text;
  for (const shard::Finding& finding : findings) text += fmt::format("  {}\n", finding.message());
  return text;
}

}  // namespace parapet::front
