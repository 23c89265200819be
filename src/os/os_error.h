// Errors of the operating system as errors of ours.
#pragma once

#include "parapet/error.h"

namespace parapet::os {

/// `operation` has static storage; `os_errno` is an errno. The caller shows the path beside it.
Error os_error(const char* operation, int os_errno);

}  // namespace parapet::os
