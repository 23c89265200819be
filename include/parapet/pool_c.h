/* Pools for C and every language that calls C. The same reach as pool.h, which says more about each function.
 *
 * A pool keeps segments on devices: arrays of bytes, cut into the data chunks of a code and protected by its parity
 * chunks, each chunk on a device of its own. A device is a directory with one file `device`, or a symbolic link of that
 * name to a block device.
 *
 * Rules for every function here:
 *  - One that can fail returns 0 (PARAPET_OK) or a `parapet_error_code`, and fills `*error` with the same code and a
 *    message; `error` may be NULL. After success `*error` holds code 0 and an empty message.
 *  - Buffers belong to the caller, may have any alignment, and are used only during the call.
 *  - A wrong call (range, size, null) gives PARAPET_INVALID_ARGUMENT; device memory PARAPET_UNSUPPORTED; both before
 *    anything is read or written. After an error, a handle or number that the call would have stored is not stored.
 *  - A pool may be used by any number of threads at once. Only `parapet_pool_close` needs that nobody else uses it.
 *  - A process that forks does not use in the child a pool that was opened before.
 *  - No C++ exception leaves the library.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "parapet/codec_c.h"
#include "parapet/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When committed updates leave a device's log, and where changes of parity go. */
enum parapet_scheme {
  PARAPET_SCHEME_FULL_OVERWRITE = 0,         /* Everything is brought up to date in place as soon as it is committed. */
  PARAPET_SCHEME_FULL_LOGGING = 1,           /* Updates stay in the log until space is needed. */
  PARAPET_SCHEME_PARITY_LOGGING = 2,         /* Data goes to its place soon, changes of parity stay in the log. */
  PARAPET_SCHEME_PARITY_LOGGING_RESERVED = 3 /* Data goes to its place soon, changes of parity beside their chunk. */
};

typedef struct parapet_pool_create_options {
  const char* code;      /* as for parapet_code_parse */
  size_t chunk_size;     /* bytes, rounded up to what the code needs */
  int scheme;            /* a parapet_scheme */
  uint64_t log_size;     /* bytes of each device that are its log: a multiple of 4096 */
  uint64_t device_size;  /* bytes of each device file, a multiple of 4096; 0 until you set it */
  int allow_shared_disk; /* not 0: takes devices on one file system or disk, which would be lost together */
} parapet_pool_create_options;

/* When what was written is made durable without a call of parapet_pool_flush. */
typedef struct parapet_pool_open_options {
  uint64_t commit_interval_ms; /* after so long; 1 to 24 hours' worth */
  size_t commit_size;          /* when it is more bytes than that */
} parapet_pool_open_options;

enum parapet_device_state {
  PARAPET_DEVICE_IN = 0,    /* It counts. */
  PARAPET_DEVICE_OUT = 1,   /* It is there, but missed something or failed. */
  PARAPET_DEVICE_ABSENT = 2 /* It was not given, or cannot be used. */
};

/* Sizes are bytes, 0 for a device that is absent. */
typedef struct parapet_device_status {
  int state;             /* a parapet_device_state */
  const char* directory; /* as given to parapet_pool_open; empty for one that is absent */
  uint64_t free;         /* for chunks */
  uint64_t used;         /* by chunks */
  uint64_t log_size;
  uint64_t log_used;
} parapet_device_status;

/* A directory whose device cannot be used. */
typedef struct parapet_unusable_device {
  const char* directory;
  const char* reason; /* one line */
} parapet_unusable_device;

/* A pool that is open. */
typedef struct parapet_pool parapet_pool;

/* How a pool was when it was asked. */
typedef struct parapet_pool_status parapet_pool_status;

/* The options that are taken where NULL is given, and a start for others; a creation needs a device_size besides. */
PARAPET_EXPORT parapet_pool_create_options parapet_pool_default_create_options(void);
PARAPET_EXPORT parapet_pool_open_options parapet_pool_default_open_options(void);

/* Makes a pool of devices in these directories, in this order. Messages of errors name the directory. After an error
 * nothing new is left. Errors: PARAPET_INVALID_ARGUMENT for wrong options, too few directories for the code, one that
 * is given twice, two on one file system or disk without allow_shared_disk; PARAPET_ALREADY_EXISTS for one that holds
 * something; PARAPET_NOT_FOUND for a missing parent; PARAPET_NO_SPACE; PARAPET_IO_FAILED. */
PARAPET_EXPORT int parapet_pool_create(const char* const* directories, size_t directory_count,
                                       const parapet_pool_create_options* options, parapet_error* error);

/* Opens the pool whose devices are in these directories, in any order, more than half of all at least, and stores it in
 * `*pool`, to be closed with `parapet_pool_close`. `options` may be NULL. Messages of errors name the directory.
 * Errors: PARAPET_INVALID_ARGUMENT for no directory, one given twice, a device of another pool, a copy of a device;
 * PARAPET_NOT_FOUND for what is no device; PARAPET_UNSUPPORTED for a newer format; PARAPET_IO_FAILED with EWOULDBLOCK
 * when it is open already; PARAPET_TOO_MANY_LOSSES with half of the devices or fewer. A device that is broken counts as
 * absent, and the status says why. */
PARAPET_EXPORT int parapet_pool_open(const char* const* directories, size_t directory_count,
                                     const parapet_pool_open_options* options, parapet_pool** pool,
                                     parapet_error* error);

/* Makes what was written durable, if it can be, and frees the pool in any case. NULL is allowed. Errors: as
 * `parapet_pool_flush`. */
PARAPET_EXPORT int parapet_pool_close(parapet_pool* pool, parapet_error* error);

/* A new segment of zeros, durable when this returns; its id goes to `*segment`. */
PARAPET_EXPORT int parapet_pool_allocate(parapet_pool* pool, uint64_t* segment, parapet_error* error);

/* A new segment with these bytes, padded with zeros; 1 to `parapet_pool_segment_size`. Durable when this returns. */
PARAPET_EXPORT int parapet_pool_write_segment(parapet_pool* pool, parapet_const_region bytes, uint64_t* segment,
                                              parapet_error* error);

/* Bytes of a new segment. 0 for NULL. */
PARAPET_EXPORT uint64_t parapet_pool_segment_size(const parapet_pool* pool);

/* Bytes of a segment, to `*size`. */
PARAPET_EXPORT int parapet_pool_size_of(parapet_pool* pool, uint64_t segment, uint64_t* size, parapet_error* error);

/* Seen by every later read, durable after the next flush. After an error, blocks that come before the one that failed
 * may have been written. */
PARAPET_EXPORT int parapet_pool_write(parapet_pool* pool, uint64_t segment, uint64_t offset, parapet_const_region bytes,
                                      parapet_error* error);

/* Also from what is left, while the code can. After an error the buffer holds anything. */
PARAPET_EXPORT int parapet_pool_read(parapet_pool* pool, uint64_t segment, uint64_t offset, parapet_region bytes,
                                     parapet_error* error);

/* What was written before is durable when it returns. After an error nobody knows. */
PARAPET_EXPORT int parapet_pool_flush(parapet_pool* pool, parapet_error* error);

/* Durable when it returns. */
PARAPET_EXPORT int parapet_pool_remove(parapet_pool* pool, uint64_t segment, parapet_error* error);

/* Stores the number of all segments in `*count`, and in `segments` the ids of the first `capacity` of them, ascending.
 */
PARAPET_EXPORT int parapet_pool_segments(parapet_pool* pool, uint64_t* segments, size_t capacity, size_t* count,
                                         parapet_error* error);

/* Brings back a device that was out when the pool was opened. */
PARAPET_EXPORT int parapet_pool_restore(parapet_pool* pool, unsigned device, parapet_error* error);

/* Puts a device out, as if it had failed. */
PARAPET_EXPORT int parapet_pool_put_out(parapet_pool* pool, unsigned device, parapet_error* error);

/* Makes anew every chunk that was found damaged. The pool does it by itself, a while later. */
PARAPET_EXPORT int parapet_pool_repair(parapet_pool* pool, parapet_error* error);

/* Reads every block of a segment's chunks. Stores the indices of the chunks that are damaged in `damaged`, ascending,
 * and their number in `*damaged_count`. `damaged_capacity` has to be 64, the most chunks of a segment, or more. */
PARAPET_EXPORT int parapet_pool_scrub(parapet_pool* pool, uint64_t segment, unsigned* damaged, size_t damaged_capacity,
                                      size_t* damaged_count, parapet_error* error);

/* Stores in `*status` how the pool is now, to be freed with `parapet_pool_status_free`. */
PARAPET_EXPORT int parapet_pool_get_status(parapet_pool* pool, parapet_pool_status** status, parapet_error* error);

/* Frees a status with all that it returned. NULL is allowed. */
PARAPET_EXPORT void parapet_pool_status_free(parapet_pool_status* status);

/* All devices of the pool, by ordinal; their number goes to `*count`. NULL and 0 for NULL, as the next three. */
PARAPET_EXPORT const parapet_device_status* parapet_pool_status_devices(const parapet_pool_status* status,
                                                                        size_t* count);

/* Directories that were given and cannot be used. Their devices are among those that are absent. */
PARAPET_EXPORT const parapet_unusable_device* parapet_pool_status_unusable(const parapet_pool_status* status,
                                                                           size_t* count);

/* Segments with updates in the logs that could not be recovered without devices that are absent; they wait for those.
 */
PARAPET_EXPORT const uint64_t* parapet_pool_status_closed(const parapet_pool_status* status, size_t* count);

/* Devices whose log ended before what was durable when the pool was opened. */
PARAPET_EXPORT const unsigned* parapet_pool_status_damaged_logs(const parapet_pool_status* status, size_t* count);

#ifdef __cplusplus
}
#endif
