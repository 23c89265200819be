/* An outside program in C: makes a pool, overwrites bytes of a segment, loses two devices and reads them back. */
#include <parapet/pool_c.h>
#include <stdio.h>
#include <string.h>

enum { device_count = 6, lost_count = 2, offset = 12345 };

static char paths[device_count][4096];
static const char* devices[device_count];
static const char text[] = "written in place";

static int fail(const parapet_error* error) {
  fprintf(stderr, "%s\n", error->message);
  return 1;
}

static int create(const char* directory, parapet_error* error) {
  parapet_pool_create_options options = parapet_pool_default_create_options();
  options.device_size = 64 << 20;
  options.log_size = 8 << 20;
  options.allow_shared_disk = 1;
  for (int i = 0; i < device_count; ++i) {
    snprintf(paths[i], sizeof paths[i], "%s/device-%d", directory, i);
    devices[i] = paths[i];
  }
  return parapet_pool_create(devices, device_count, &options, error);
}

static int write_text(parapet_pool* pool, uint64_t* segment, parapet_error* error) {
  parapet_const_region bytes = {text, sizeof text, PARAPET_MEMORY_HOST, 0};
  if (parapet_pool_allocate(pool, segment, error) != PARAPET_OK) return error->code;
  return parapet_pool_write(pool, *segment, offset, bytes, error);
}

int main(int argument_count, char** arguments) {
  parapet_pool* pool = NULL;
  parapet_error error;
  uint64_t segment = 0;
  char read[sizeof text] = "";
  parapet_region into = {0};
  if (argument_count != 2) return 2;
  if (create(arguments[1], &error) != PARAPET_OK) return fail(&error);
  if (parapet_pool_open(devices, device_count, NULL, &pool, &error) != PARAPET_OK) return fail(&error);
  if (write_text(pool, &segment, &error) != PARAPET_OK) return fail(&error);
  if (parapet_pool_close(pool, &error) != PARAPET_OK) return fail(&error); /* flushes */

  if (parapet_pool_open(devices + lost_count, device_count - lost_count, NULL, &pool, &error) != PARAPET_OK)
    return fail(&error);
  into.data = read;
  into.size = sizeof read;
  if (parapet_pool_read(pool, segment, offset, into, &error) != PARAPET_OK) return fail(&error);
  if (parapet_pool_close(pool, &error) != PARAPET_OK) return fail(&error);
  puts(strcmp(read, text) == 0 ? "nothing is lost" : "something is lost");
  return strcmp(read, text) == 0 ? 0 : 1;
}
