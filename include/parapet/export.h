// Marks what the shared library exports.
#pragma once

#if defined(__GNUC__)
#define PARAPET_EXPORT __attribute__((visibility("default")))
#else
#define PARAPET_EXPORT
#endif
