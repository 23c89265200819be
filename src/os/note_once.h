// Notes to the person at the terminal.
#pragma once

#include <string>

namespace parapet::os {

/// Writes "parapet: note: " and the text to stderr as one line, unless this process has noted the same text before. Any
/// number of threads may call it.
void note_once(const std::string& text);

}  // namespace parapet::os
