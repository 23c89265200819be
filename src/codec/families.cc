#include "codec/families.h"

#include <array>

#include "codec/bitmatrix/bitmatrix.h"
#include "codec/clay/clay.h"
#include "codec/evenodd/evenodd.h"
#include "codec/hitchhiker/hitchhiker.h"
#include "codec/lrc/lrc.h"
#include "codec/rdp/rdp.h"
#include "codec/rs/rs.h"
#include "codec/xor/xor.h"
#include "codec/xrs/xrs.h"

namespace parapet::codec {

std::span<const Family> families() {
  static constexpr std::array list = {
      Family{"rs", "rs(k,m) or rs(k,m,matrix=cauchy|isal|jerasure|vandermonde|par1)", make_rs},
      Family{"xrs", "xrs(k,m)", make_xrs},
      Family{"hitchhiker", "hitchhiker(k,m)", make_hitchhiker},
      Family{"lrc", "lrc(k,l,g) or lrc(k,l,g,groups=uniform)", make_lrc},
      Family{"clay", "clay(k,m)", make_clay},
      Family{"rdp", "rdp(k,2) or rdp(k,2,p=P)", make_rdp},
      Family{"evenodd", "evenodd(k,2) or evenodd(k,2,p=P)", make_evenodd},
      Family{"reed_sol_r6_op", "reed_sol_r6_op(k,2)", make_reed_sol_r6_op},
      Family{"cauchy_orig", "cauchy_orig(k,m,w=W,packetsize=BYTES)", make_cauchy_orig},
      Family{"cauchy_good", "cauchy_good(k,m,w=W,packetsize=BYTES)", make_cauchy_good},
      Family{"liberation", "liberation(k,2,w=W,packetsize=BYTES)", make_liberation},
      Family{"blaum_roth", "blaum_roth(k,2,w=W,packetsize=BYTES)", make_blaum_roth},
      Family{"liber8tion", "liber8tion(k,2,packetsize=BYTES)", make_liber8tion},
      Family{"xor", "xor(k,1)", make_xor},
      Family{"replication", "replication(1,m)", make_replication},
  };
  return list;
}

}  // namespace parapet::codec
