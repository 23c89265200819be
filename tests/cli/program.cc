#include "tests/cli/program.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace parapet::cli_test {
namespace {

/// Appends what there is to read; returns whether there may be more.
bool drain(int descriptor, std::string& text) {
  std::array<char, 4096> bytes;
  const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
  if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace

nlohmann::json Outcome::json() const {
  auto value = nlohmann::json::parse(out, nullptr, false);
  EXPECT_FALSE(value.is_discarded()) << "no JSON: " << out;
  return value;
}

bool Outcome::has_one_error_line() const { return err.rfind("parapet: ", 0) == 0 && err.find('\n') == err.size() - 1; }

void become(const Arguments& arguments) {
  std::vector<char*> argv{const_cast<char*>("parapet")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(PARAPET_PROGRAM_PATH, argv.data());
  _exit(127);
}

Program::Program(const Arguments& arguments, const std::function<void()>& prepare) {
  int out[2];
  int err[2];
  if (::pipe(out) != 0 || ::pipe(err) != 0) throw std::runtime_error("no pipes");
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process");
  if (pid_ == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    for (const int descriptor : {out[0], out[1], err[0], err[1]}) ::close(descriptor);
    if (prepare) prepare();
    become(arguments);
  }
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

Program::~Program() {
  ::close(out_);
  ::close(err_);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

Outcome Program::wait() {
  Outcome outcome;
  std::array<pollfd, 2> polled{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    ::poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0 && !drain(out_, outcome.out)) polled[0].fd = -1;
    if (polled[1].revents != 0 && !drain(err_, outcome.err)) polled[1].fd = -1;
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace parapet::cli_test
