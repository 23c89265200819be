#include "simenv/trace.h"

namespace parapet::simenv {

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = mix(0, text.size());
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

void Trace::add(env::Time now, std::string_view event, std::string_view subject,
                std::initializer_list<TraceValue> values) {
  hash_ = mix(hash_, static_cast<std::uint64_t>(now.count()));
  hash_ = mix(mix(hash_, hash_text(event)), hash_text(subject));
  for (const TraceValue& value : values) hash_ = mix(hash_ ^ hash_text(value.name), value.value);
  if (out_ == nullptr) return;
  *out_ << now.count() << "ns " << event << ' ' << subject;
  for (const TraceValue& value : values) *out_ << ' ' << value.name << '=' << value.value;
  *out_ << '\n';
}

}  // namespace parapet::simenv
