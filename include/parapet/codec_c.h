/* The erasure codec for C and every language that calls C. The same reach as codec.h.
 *
 * A code is a linear map from k data chunks to m parity chunks. Chunk indices: 0..k-1 are data, k..n-1 parity, n = k+m.
 * All chunks of one call have the same size, a positive multiple of `parapet_code_chunk_size_multiple()`.
 *
 * Rules for every function here:
 *  - One that can fail returns 0 (PARAPET_OK) or a `parapet_error_code`, and fills `*error` with the same code and a
 *    message; `error` may be NULL. After success `*error` holds code 0 and an empty message.
 *  - Buffers belong to the caller, may have any alignment, and are used only during the call. Inputs never change.
 *    Outputs must not overlap inputs or each other (not checked).
 *  - A wrong shape (count, size, index, null, repeated index) gives PARAPET_INVALID_ARGUMENT; device memory
 *    PARAPET_UNSUPPORTED; both before any byte is written. After an error, outputs are as before; a handle or result
 *    that the call would have stored is not stored.
 *  - Codes and plans are immutable and may be used by any number of threads at once. Only the `_free` functions need
 *    that nobody else uses the handle.
 *  - Arrays and strings that a function returns belong to the handle and live as long as it does.
 *  - No C++ exception leaves the library.
 */
#pragma once

#include <stddef.h>

#include "parapet/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each code says what the caller should do about it. */
enum parapet_error_code {
  PARAPET_OK = 0,
  PARAPET_INVALID_ARGUMENT = 1, /* The call is wrong (shape, index, size, null): fix the caller. */
  PARAPET_UNSUPPORTED = 2,      /* This build or machine cannot do it: choose something else. */
  PARAPET_TOO_MANY_LOSSES = 3,  /* Not decodable from what is given: bring chunks back, or give up. */
  PARAPET_CORRUPT = 4,          /* Bytes fail their checksum or format: repair from redundancy, never retry. */
  PARAPET_IO_FAILED = 5,        /* The operating system refused (see os_errno): fail over to another device. */
  PARAPET_NO_SPACE = 6,         /* The device or file system is full: free space, then try again. */
  PARAPET_NOT_FOUND = 7,        /* A named thing does not exist. */
  PARAPET_ALREADY_EXISTS = 8,   /* A thing of that name exists and was not to be replaced. */
  PARAPET_INTERRUPTED = 9,      /* Stopped on request; nothing was left half-done. */
  PARAPET_OUT_OF_MEMORY = 100   /* An allocation failed: free memory, then try again. C only; C++ throws bad_alloc. */
};

/* What went wrong. Filled by the function, owned by the caller. */
typedef struct parapet_error {
  int code;          /* a parapet_error_code */
  int os_errno;      /* errno of the system call that failed, or 0 */
  char message[256]; /* one line without a newline, NUL-terminated, cut where it is longer */
} parapet_error;

/* The kind of memory a region lives in. Every function of this version answers PARAPET_UNSUPPORTED for device memory,
 * and none touches it. */
enum parapet_memory_kind { PARAPET_MEMORY_HOST = 0, PARAPET_MEMORY_DEVICE = 1 };

/* A writable byte range. Any alignment works; multiples of 64 bytes are fastest. */
typedef struct parapet_region {
  void* data;
  size_t size;
  int memory_kind;    /* a parapet_memory_kind; 0, host memory, where it is not named */
  int memory_ordinal; /* which device, 0..255; 0 for host memory */
} parapet_region;

/* A byte range that is only read. */
typedef struct parapet_const_region {
  const void* data;
  size_t size;
  int memory_kind;
  int memory_ordinal;
} parapet_const_region;

/* A chunk to be written, by index. For parapet_code_reconstruct. */
typedef struct parapet_indexed_region {
  unsigned index;
  parapet_region region;
} parapet_indexed_region;

/* A chunk to be read, by index. For parapet_code_replace. */
typedef struct parapet_const_indexed_region {
  unsigned index;
  parapet_const_region region;
} parapet_const_indexed_region;

/* Bytes [offset, offset + length) of chunk `chunk`. */
typedef struct parapet_chunk_range {
  unsigned chunk;
  size_t offset;
  size_t length;
} parapet_chunk_range;

/* What a repair should spend least of. */
enum parapet_repair_goal {
  PARAPET_FEWEST_BYTES = 0, /* Bytes read; of equal plans the one that reads from fewer chunks. */
  PARAPET_FEWEST_CHUNKS = 1 /* Chunks, hence devices, read from; of equal plans the one that reads fewer bytes. */
};

/* What the reads of a plan cost. */
typedef struct parapet_cost {
  size_t bytes;
  size_t ranges; /* reads, each of contiguous bytes of one chunk */
  size_t chunks; /* chunks, hence devices, that are read from */
} parapet_cost;

/* An erasure code. Remembers decode programs per erasure pattern in a bounded cache. */
typedef struct parapet_code parapet_code;

/* What a repair reads, and the program that turns it into the wanted bytes. */
typedef struct parapet_plan parapet_plan;

/* Makes a code from its name, e.g. "rs(12,4)", "xrs(10,4)", "rs(6,3,matrix=vandermonde)"; blanks are ignored.
 * Stores it in `*code`, to be freed with `parapet_code_free`.
 * Errors: PARAPET_INVALID_ARGUMENT for a wrong name or parameters (says which rule); PARAPET_UNSUPPORTED when the
 * environment variable PARAPET_ISA names an instruction set that is unknown or that this machine lacks. */
PARAPET_EXPORT int parapet_code_parse(const char* text, parapet_code** code, parapet_error* error);

/* Frees a code. Plans made from it stay usable. NULL is allowed. */
PARAPET_EXPORT void parapet_code_free(parapet_code* code);

/* The canonical text: parsing it makes the same code. NULL for NULL. */
PARAPET_EXPORT const char* parapet_code_text(const parapet_code* code);

/* The number of data chunks and of parity chunks. 0 for NULL, as the next four. */
PARAPET_EXPORT unsigned parapet_code_k(const parapet_code* code);
PARAPET_EXPORT unsigned parapet_code_m(const parapet_code* code);

/* Sub-chunks per chunk: a repair may read some sub-chunks of a chunk and not others. */
PARAPET_EXPORT unsigned parapet_code_alpha(const parapet_code* code);

/* The number of losses that every pattern of is decodable (distance minus one): m for MDS codes such as rs, less for
 * others such as lrc, which decode some larger patterns too (parapet_code_decodable). */
PARAPET_EXPORT unsigned parapet_code_tolerance(const parapet_code* code);

/* Chunk sizes must be a positive multiple of this. */
PARAPET_EXPORT size_t parapet_code_chunk_size_multiple(const parapet_code* code);

/* 0: each sub-chunk is one contiguous part of its chunk, chunk size / alpha bytes. Else a chunk is a sequence of
 * packets of this size that go round the sub-chunks: packet p belongs to sub-chunk p mod alpha. */
PARAPET_EXPORT size_t parapet_code_packet_size(const parapet_code* code);

/* Stores in `*decodable` 1 when the `available_count` distinct chunk indices in `available` determine all other chunks,
 * else 0. `available` may be NULL when the count is 0. */
PARAPET_EXPORT int parapet_code_decodable(const parapet_code* code, const unsigned* available, size_t available_count,
                                          int* decodable, parapet_error* error);

/* The chunks whose bytes change with those of data chunk `index`: stores the indices of the parity chunks that depend
 * on it in `parities`, ascending, and their number in `*parity_count`; 0 for an index that is no data chunk. `parities`
 * has room for `parity_capacity` indices, at least m. */
PARAPET_EXPORT int parapet_code_parities_of(const parapet_code* code, unsigned index, unsigned* parities,
                                            size_t parity_capacity, size_t* parity_count, parapet_error* error);

/* data: k chunks; parity: m chunks, overwritten. */
PARAPET_EXPORT int parapet_code_encode(const parapet_code* code, const parapet_const_region* data, size_t data_count,
                                       const parapet_region* parity, size_t parity_count, parapet_error* error);

/* chunks: all n. Stores the indices of the parity chunks that disagree with the data in `wrong`, ascending, and their
 * number in `*wrong_count`; 0 when all is well. `wrong` has room for `wrong_capacity` indices, at least m. */
PARAPET_EXPORT int parapet_code_verify(const parapet_code* code, const parapet_const_region* chunks, size_t chunk_count,
                                       unsigned* wrong, size_t wrong_capacity, size_t* wrong_count,
                                       parapet_error* error);

/* chunks: n entries, with NULL data for a missing one. Writes each chunk of `wanted`, all of which must be missing in
 * `chunks`; other missing chunks stay missing. Reads no more than the cheapest plan needs.
 * Errors: PARAPET_TOO_MANY_LOSSES. */
PARAPET_EXPORT int parapet_code_reconstruct(const parapet_code* code, const parapet_const_region* chunks,
                                            size_t chunk_count, const parapet_indexed_region* wanted,
                                            size_t wanted_count, parapet_error* error);

/* Brings parity up to date after bytes [offset, offset + before.size) of data chunk `index` changed from `before` to
 * `after`. parity: m whole chunks; one with NULL data is left out (its holder is elsewhere). */
PARAPET_EXPORT int parapet_code_update(const parapet_code* code, unsigned index, size_t offset,
                                       parapet_const_region before, parapet_const_region after,
                                       const parapet_region* parity, size_t parity_count, parapet_error* error);

/* As parapet_code_update, from delta = before XOR after. */
PARAPET_EXPORT int parapet_code_apply_delta(const parapet_code* code, unsigned index, size_t offset,
                                            parapet_const_region delta, const parapet_region* parity,
                                            size_t parity_count, parapet_error* error);

/* Adds whole data chunks to parity: after it, parity is that of data in which each listed chunk was XORed with its
 * region. So it fills chunks that were zero, or with the old contents removes them. Indices must be distinct. */
PARAPET_EXPORT int parapet_code_replace(const parapet_code* code, const parapet_const_indexed_region* deltas,
                                        size_t delta_count, const parapet_region* parity, size_t parity_count,
                                        parapet_error* error);

/* Makes the cheapest plan known that computes the whole chunks `wanted` from some of `available`; the two are disjoint
 * and their indices distinct. Leave a chunk out of `available` that is there but slow, and the plan is the cheapest one
 * without it. goal: a parapet_repair_goal. Stores the plan in `*plan`, to be freed with `parapet_plan_free`.
 * Errors: PARAPET_TOO_MANY_LOSSES. */
PARAPET_EXPORT int parapet_code_plan_repair(const parapet_code* code, const unsigned* available, size_t available_count,
                                            const unsigned* wanted, size_t wanted_count, size_t chunk_size, int goal,
                                            parapet_plan** plan, parapet_error* error);

/* The same for the bytes of one range, which must not be empty: a degraded read reads what that range needs. */
PARAPET_EXPORT int parapet_code_plan_read(const parapet_code* code, const unsigned* available, size_t available_count,
                                          parapet_chunk_range range, size_t chunk_size, int goal, parapet_plan** plan,
                                          parapet_error* error);

/* Frees a plan. NULL is allowed. */
PARAPET_EXPORT void parapet_plan_free(parapet_plan* plan);

/* The ranges to read, ascending by chunk and offset; no two of a chunk touch. Stores their number in `*count`.
 * NULL (and a count of 0) for NULL; NULL when `count` is NULL. */
PARAPET_EXPORT const parapet_chunk_range* parapet_plan_reads(const parapet_plan* plan, size_t* count);

/* The ranges that parapet_plan_run writes, ascending by chunk; otherwise as parapet_plan_reads. */
PARAPET_EXPORT const parapet_chunk_range* parapet_plan_outputs(const parapet_plan* plan, size_t* count);

/* What the reads cost, all together. Zeros for NULL. */
PARAPET_EXPORT parapet_cost parapet_plan_cost(const parapet_plan* plan);

/* inputs[i] holds the bytes of reads[i]; outputs[i] receives the bytes of outputs[i]; counts and sizes must match. */
PARAPET_EXPORT int parapet_plan_run(const parapet_plan* plan, const parapet_const_region* inputs, size_t input_count,
                                    const parapet_region* outputs, size_t output_count, parapet_error* error);

/* The names of all families with their parameters, one per entry, for help texts. Stores their number in `*count`.
 * NULL when `count` is NULL or memory is out. The array is never freed. */
PARAPET_EXPORT const char* const* parapet_families(size_t* count);

/* Stores in `*name` the instruction set that the kernels of this process use, e.g. "avx512-gfni". The string
 * is never freed. Errors: PARAPET_UNSUPPORTED as for parapet_code_parse. */
PARAPET_EXPORT int parapet_active_isa(const char** name, parapet_error* error);

#ifdef __cplusplus
} /* extern "C" */
#endif
