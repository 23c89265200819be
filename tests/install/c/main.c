/* An outside program in C: encodes a stripe, loses as many chunks as the code bears, and brings them back. */
#include <parapet/codec_c.h>
#include <stdio.h>
#include <string.h>

enum { k = 6, m = 3, n = k + m, chunk_size = 4096 };

static unsigned char chunks[n][chunk_size];
static unsigned char restored[m][chunk_size];

static int fail(const char* what, const parapet_error* error) {
  fprintf(stderr, "%s: %s\n", what, error->message);
  return 1;
}

static int encode(const parapet_code* code, parapet_error* error) {
  parapet_const_region data[k] = {{0}};
  parapet_region parity[m] = {{0}};
  for (unsigned i = 0; i < k; ++i) {
    for (unsigned j = 0; j < chunk_size; ++j) chunks[i][j] = (unsigned char)(7 * i + j);
    data[i].data = chunks[i];
    data[i].size = chunk_size;
  }
  for (unsigned i = 0; i < m; ++i) {
    parity[i].data = chunks[k + i];
    parity[i].size = chunk_size;
  }
  return parapet_code_encode(code, data, k, parity, m, error);
}

static int reconstruct(const parapet_code* code, const unsigned* lost, parapet_error* error) {
  parapet_const_region left[n] = {{0}};
  parapet_indexed_region wanted[m] = {{0}};
  for (unsigned i = 0; i < n; ++i) {
    left[i].data = chunks[i];
    left[i].size = chunk_size;
  }
  for (unsigned i = 0; i < m; ++i) {
    left[lost[i]].data = NULL;
    wanted[i].index = lost[i];
    wanted[i].region.data = restored[i];
    wanted[i].region.size = chunk_size;
  }
  return parapet_code_reconstruct(code, left, n, wanted, m, error);
}

/* Whether the repair of one chunk reads less than all data. */
static int plan(const parapet_code* code, parapet_error* error) {
  static const unsigned available[] = {1, 2, 3, 4, 5, 6, 7, 8}, wanted[] = {0};
  parapet_plan* made = NULL;
  parapet_cost cost;
  if (parapet_code_plan_repair(code, available, n - 1, wanted, 1, chunk_size, PARAPET_FEWEST_BYTES, &made, error) !=
      PARAPET_OK)
    return 0;
  cost = parapet_plan_cost(made);
  parapet_plan_free(made);
  return cost.bytes < k * chunk_size && cost.chunks > k;
}

int main(void) {
  static const unsigned lost[m] = {0, 4, 7};
  parapet_code* code = NULL;
  parapet_error error;
  int wrong = 0;
  if (parapet_code_parse("xrs(6,3)", &code, &error) != PARAPET_OK) return fail("parse", &error);
  if (encode(code, &error) != PARAPET_OK) return fail("encode", &error);
  if (reconstruct(code, lost, &error) != PARAPET_OK) return fail("reconstruct", &error);
  if (!plan(code, &error)) return fail("plan", &error);
  parapet_code_free(code);
  for (unsigned i = 0; i < m; ++i) wrong |= memcmp(restored[i], chunks[lost[i]], chunk_size);
  puts(wrong ? "chunks are wrong" : "all chunks are back");
  return wrong ? 1 : 0;
}
