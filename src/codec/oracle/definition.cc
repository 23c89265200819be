#include "codec/oracle/definition.h"

#include <sstream>
#include <stdexcept>

namespace parapet::codec::oracle {

CodeName::CodeName(const std::string& text) : family(text.substr(0, text.find('('))) {
  std::istringstream in(text.substr(family.size() + 1, text.size() - family.size() - 2));
  for (std::string argument; std::getline(in, argument, ',');) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos)
      numbers.push_back(static_cast<unsigned>(std::stoul(argument)));
    else
      options[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
}

unsigned CodeName::option(const std::string& key, unsigned otherwise) const {
  const auto found = options.find(key);
  return found == options.end() ? otherwise : static_cast<unsigned>(std::stoul(found->second));
}

Columns zeros(unsigned chunk_count, unsigned alpha, const Columns& like) {
  return Columns(chunk_count, Column(alpha, Bytes(like[0][0].size())));
}

bool is_prime(unsigned number) {
  unsigned divisors = 0;
  for (unsigned divisor = 1; divisor <= number; ++divisor) divisors += number % divisor == 0 ? 1 : 0;
  return divisors == 2;
}

unsigned prime_from(unsigned number) { return is_prime(number) ? number : prime_from(number + 1); }

Definition define(const std::string& text) {
  static const std::map<std::string, Definition (*)(const CodeName&)> families = {
      {"rs", define_reed_solomon},
      {"reed_sol_r6_op", define_reed_solomon},
      {"xor", define_reed_solomon},
      {"replication", define_reed_solomon},
      {"xrs", define_halves},
      {"hitchhiker", define_halves},
      {"lrc", define_lrc},
      {"clay", define_clay},
      {"rdp", define_array},
      {"evenodd", define_array},
      {"cauchy_orig", define_bit_matrix},
      {"cauchy_good", define_bit_matrix},
      {"liberation", define_bit_matrix},
      {"blaum_roth", define_bit_matrix},
      {"liber8tion", define_bit_matrix},
  };
  const CodeName name(text);
  const auto found = families.find(name.family);
  if (found == families.end()) throw std::invalid_argument("unknown code " + text);
  return found->second(name);
}

}  // namespace parapet::codec::oracle
