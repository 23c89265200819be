#include <parapet/pool.h>

#include <cstdio>
#include <string>
#include <vector>

int main(int, char** arguments) {
  std::vector<std::string> devices;  // directories, each on a disk of its own; here on one, to try it out
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) devices.push_back(std::string(arguments[1]) + "/" + name);
  parapet::PoolCreateOptions options;
  options.code = "rs(4,2)";  // any two devices may be lost
  options.device_size = 64 << 20;
  options.log_size = 8 << 20;
  options.allow_shared_disk = true;
  parapet::Pool::create(devices, options).value();

  parapet::Pool pool = parapet::Pool::open(devices).value();
  const parapet::SegmentId segment = pool.allocate().value();
  const std::string text = "written in place";
  pool.write(segment, 12345, {text.data(), text.size()}).value();  // seen by every read from now on
  pool.flush().value();                                            // durable
  pool.close().value();

  devices.erase(devices.begin(), devices.begin() + 2);  // two are lost
  pool = parapet::Pool::open(devices).value();
  std::string read(text.size(), ' ');
  pool.read(segment, 12345, {read.data(), read.size()}).value();
  std::puts(read == text ? "nothing is lost" : "something is lost");
  return read == text ? 0 : 1;
}
