#include "front/cli/progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "front/cli/quantity.h"

namespace parapet::front {
namespace {

constexpr std::chrono::milliseconds delay{500};
constexpr std::chrono::milliseconds interval{100};
constexpr const char* erase_line = "\r\033[K";

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressBar::ProgressBar(std::string title, const shard::Progress& progress)
    : title_(std::move(title)), progress_(progress) {
  if (isatty(STDERR_FILENO) == 0) return;
  try {
    thread_ = std::thread([this] { draw_until_ended(); });
  } catch (const std::system_error&) {
    // No thread to be had: the work goes on without a bar.
  }
}

ProgressBar::~ProgressBar() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  ended_changed_.notify_one();
  thread_.join();
}

void ProgressBar::draw_until_ended() {
  std::unique_lock lock(mutex_);
  if (ended_changed_.wait_for(lock, delay, [this] { return ended_; })) return;
  do {
    draw();
  } while (!ended_changed_.wait_for(lock, interval, [this] { return ended_; }));
  std::fputs(erase_line, stderr);
}

void ProgressBar::draw() const {
  const std::uint64_t total = progress_.bytes_total.load();
  if (total == 0) return;
  const std::uint64_t done = std::min(progress_.bytes_done.load(), total);
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const std::string left = done == 0 ? "" : fmt::format("  {} left", time_text(seconds / share - seconds));
  constexpr std::size_t bar_width = 20;
  const std::string bar(static_cast<std::size_t>(share * bar_width), '#');
  std::string line = fmt::format("{} {:3.0f}% [{:<{}}] {} of {}  {}{}", title_, share * 100, bar, bar_width,
                                 size_text(done), size_text(total), rate_text(done, seconds), left);
  line.resize(std::min(line.size(), terminal_width() - 1));
  std::fputs((erase_line + line).c_str(), stderr);
}

}  // namespace parapet::front
