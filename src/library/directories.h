// Lists of device directories as callers give them.
#pragma once

#include <span>
#include <string>

#include "parapet/pool.h"

namespace parapet::library {

/// The error with what it is about.
PoolError about(const std::string& subject, const Error& error, std::string detail = {});
/// The same about two directories.
PoolError about_both(const std::string& directory, const std::string& other, const Error& error);

/// That there are some, not too many, and none twice. `operation` has static storage.
Result<void, PoolError> check_list(const char* operation, std::span<const std::string> directories);

/// That no two of them lie on one file system or disk.
Result<void, PoolError> check_apart(const char* operation, std::span<const std::string> directories);

}  // namespace parapet::library
