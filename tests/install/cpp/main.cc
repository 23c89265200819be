#include <parapet/codec.h>

#include <cstdio>
#include <vector>

int main() {
  const parapet::Code code = parapet::Code::parse("xrs(12,4)").value();  // 12 data chunks, 4 parity chunks

  std::vector<std::vector<unsigned char>> chunks(code.n(), std::vector<unsigned char>(4096));
  for (unsigned i = 0; i < code.k(); ++i) chunks[i].assign(4096, static_cast<unsigned char>(i + 1));

  std::vector<parapet::ConstRegion> inputs;
  for (const auto& chunk : chunks) inputs.emplace_back(chunk.data(), chunk.size());
  std::vector<parapet::Region> parity;
  for (unsigned i = code.k(); i < code.n(); ++i) parity.emplace_back(chunks[i].data(), chunks[i].size());
  code.encode({inputs.data(), code.k()}, parity).value();  // value() ends the program on an error; see result.h

  std::vector<unsigned char> restored(4096);
  inputs[3] = {};  // chunk 3 is lost
  const parapet::IndexedRegion wanted{3, {restored.data(), restored.size()}};
  code.reconstruct(inputs, {&wanted, 1}).value();

  std::puts(restored == chunks[3] ? "chunk 3 is back" : "chunk 3 is wrong");
  return restored == chunks[3] ? 0 : 1;
}
