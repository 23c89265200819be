// Runs the built program.
#pragma once

#include <sys/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace parapet::cli_test {

using Arguments = std::vector<std::string>;

/// How a run ended and what it printed.
struct Outcome {
  int status = -1;  ///< Exit status; 128 + signal when a signal ended it.
  std::string out;
  std::string err;

  /// `out` as JSON; a failure of the test when it is not exactly one JSON value.
  [[nodiscard]] nlohmann::json json() const;
  /// Whether `err` is one line that begins with "parapet: ".
  [[nodiscard]] bool has_one_error_line() const;
};

/// A run under way.
class Program {
 public:
  /// `prepare` runs in the new process before the program does.
  explicit Program(const Arguments& arguments, const std::function<void()>& prepare = {});
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Reads what it prints until it ends.
  Outcome wait();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
};

inline Outcome run(const Arguments& arguments, const std::function<void()>& prepare = {}) {
  return Program(arguments, prepare).wait();
}

/// Replaces this process by the program. For forkpty.
[[noreturn]] void become(const Arguments& arguments);

}  // namespace parapet::cli_test
