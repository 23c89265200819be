// Shortens a device's log: writes the images of its oldest pages records to their places, and then says in the
// superblock where the log begins.
#pragma once

#include "store/store.h"

namespace parapet::store {

/// Frees the log up to the first update that is not moved yet. One at a time in a store. Errors: `io_failed`.
Result<void> trim(Store& store);

}  // namespace parapet::store
