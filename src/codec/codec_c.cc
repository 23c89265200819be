// The C API: converts the arguments, calls the C++ API, converts what comes back.
#include "parapet/codec_c.h"

#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.h"
#include "codec/codec_c_arguments.h"
#include "parapet/codec.h"

struct parapet_code {
  parapet::Code code;
};

struct parapet_plan {
  parapet::Plan plan;
  std::vector<parapet_chunk_range> reads;
  std::vector<parapet_chunk_range> outputs;
};

namespace parapet::codec {
namespace {

std::vector<parapet_chunk_range> to_c(std::span<const ChunkRange> ranges) {
  std::vector<parapet_chunk_range> converted;
  converted.reserve(ranges.size());
  for (const ChunkRange& range : ranges) converted.push_back({range.chunk, range.offset, range.length});
  return converted;
}

parapet_plan* to_c(const Plan& plan) { return new parapet_plan{plan, to_c(plan.reads()), to_c(plan.outputs())}; }

const parapet_chunk_range* share(const std::vector<parapet_chunk_range>* ranges, std::size_t* count) {
  if (count == nullptr) return nullptr;
  *count = ranges == nullptr ? 0 : ranges->size();
  return ranges == nullptr ? nullptr : ranges->data();
}

/// `indices` has room for them.
void store(const ChunkSet& set, unsigned* indices, std::size_t* count) {
  *count = set.count();
  for (const unsigned index : set) *indices++ = index;
}

struct FamilyNames {
  FamilyNames() {
    for (std::string_view name : Code::families()) names.emplace_back(name);
    for (const std::string& name : names) pointers.push_back(name.c_str());
  }
  std::vector<std::string> names;
  std::vector<const char*> pointers;
};

}  // namespace
}  // namespace parapet::codec

using parapet::ChunkRange;
using parapet::ChunkSet;
using parapet::Code;
using parapet::ConstIndexedRegion;
using parapet::ConstRegion;
using parapet::IndexedRegion;
using parapet::Plan;
using parapet::Region;
using parapet::RepairGoal;
using parapet::Result;
using parapet::codec::Arguments;
using parapet::codec::guarded;

int parapet_code_parse(const char* text, parapet_code** code, parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    PARAPET_CHECK(Arguments("parse").check_not_null({text, code}));
    PARAPET_TRY(Code parsed, Code::parse(text));
    *code = new parapet_code{std::move(parsed)};
    return {};
  });
}

void parapet_code_free(parapet_code* code) { delete code; }

const char* parapet_code_text(const parapet_code* code) {
  return code == nullptr ? nullptr : code->code.text().c_str();
}

unsigned parapet_code_k(const parapet_code* code) { return code == nullptr ? 0 : code->code.k(); }

unsigned parapet_code_m(const parapet_code* code) { return code == nullptr ? 0 : code->code.m(); }

unsigned parapet_code_alpha(const parapet_code* code) { return code == nullptr ? 0 : code->code.alpha(); }

unsigned parapet_code_tolerance(const parapet_code* code) { return code == nullptr ? 0 : code->code.tolerance(); }

size_t parapet_code_chunk_size_multiple(const parapet_code* code) {
  return code == nullptr ? 0 : code->code.chunk_size_multiple();
}

size_t parapet_code_packet_size(const parapet_code* code) { return code == nullptr ? 0 : code->code.packet_size(); }

int parapet_code_decodable(const parapet_code* code, const unsigned* available, size_t available_count, int* decodable,
                           parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const Arguments arguments("decodable");
    PARAPET_CHECK(arguments.check_not_null({code, decodable}));
    PARAPET_TRY(const ChunkSet chunks, arguments.set(available, available_count, code->code.n()));
    *decodable = code->code.decodable(chunks) ? 1 : 0;
    return {};
  });
}

int parapet_code_parities_of(const parapet_code* code, unsigned index, unsigned* parities, size_t parity_capacity,
                             size_t* parity_count, parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const Arguments arguments("parities_of");
    PARAPET_CHECK(arguments.check_not_null({code, parities, parity_count}));
    PARAPET_CHECK(arguments.check_room(parity_capacity, code->code.m()));
    parapet::codec::store(code->code.parities_of(index), parities, parity_count);
    return {};
  });
}

int parapet_code_encode(const parapet_code* code, const parapet_const_region* data, size_t data_count,
                        const parapet_region* parity, size_t parity_count, parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    Arguments arguments("encode");
    PARAPET_CHECK(arguments.check_not_null({code}));
    PARAPET_TRY(const auto inputs, arguments.list<ConstRegion>(data, data_count));
    PARAPET_TRY(const auto outputs, arguments.list<Region>(parity, parity_count));
    return code->code.encode(inputs, outputs);
  });
}

int parapet_code_verify(const parapet_code* code, const parapet_const_region* chunks, size_t chunk_count,
                        unsigned* wrong, size_t wrong_capacity, size_t* wrong_count, parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    Arguments arguments("verify");
    PARAPET_CHECK(arguments.check_not_null({code, wrong, wrong_count}));
    PARAPET_CHECK(arguments.check_room(wrong_capacity, code->code.m()));
    PARAPET_TRY(const auto inputs, arguments.list<ConstRegion>(chunks, chunk_count));
    PARAPET_TRY(const ChunkSet disagreeing, code->code.verify(inputs));
    parapet::codec::store(disagreeing, wrong, wrong_count);
    return {};
  });
}

int parapet_code_reconstruct(const parapet_code* code, const parapet_const_region* chunks, size_t chunk_count,
                             const parapet_indexed_region* wanted, size_t wanted_count, parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    Arguments arguments("reconstruct");
    PARAPET_CHECK(arguments.check_not_null({code}));
    PARAPET_TRY(const auto inputs, arguments.list<ConstRegion>(chunks, chunk_count));
    PARAPET_TRY(const auto outputs, arguments.list<IndexedRegion>(wanted, wanted_count));
    return code->code.reconstruct(inputs, outputs);
  });
}

int parapet_code_update(const parapet_code* code, unsigned index, size_t offset, parapet_const_region before,
                        parapet_const_region after, const parapet_region* parity, size_t parity_count,
                        parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    Arguments arguments("update");
    PARAPET_CHECK(arguments.check_not_null({code}));
    PARAPET_TRY(const auto old_bytes, arguments.convert(before));
    PARAPET_TRY(const auto new_bytes, arguments.convert(after));
    PARAPET_TRY(const auto outputs, arguments.list<Region>(parity, parity_count));
    return code->code.update(index, offset, old_bytes, new_bytes, outputs);
  });
}

int parapet_code_apply_delta(const parapet_code* code, unsigned index, size_t offset, parapet_const_region delta,
                             const parapet_region* parity, size_t parity_count, parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    Arguments arguments("apply_delta");
    PARAPET_CHECK(arguments.check_not_null({code}));
    PARAPET_TRY(const auto change, arguments.convert(delta));
    PARAPET_TRY(const auto outputs, arguments.list<Region>(parity, parity_count));
    return code->code.apply_delta(index, offset, change, outputs);
  });
}

int parapet_code_replace(const parapet_code* code, const parapet_const_indexed_region* deltas, size_t delta_count,
                         const parapet_region* parity, size_t parity_count, parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    Arguments arguments("replace");
    PARAPET_CHECK(arguments.check_not_null({code}));
    PARAPET_TRY(const auto inputs, arguments.list<ConstIndexedRegion>(deltas, delta_count));
    PARAPET_TRY(const auto outputs, arguments.list<Region>(parity, parity_count));
    return code->code.replace(inputs, outputs);
  });
}

int parapet_code_plan_repair(const parapet_code* code, const unsigned* available, size_t available_count,
                             const unsigned* wanted, size_t wanted_count, size_t chunk_size, int goal,
                             parapet_plan** plan, parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const Arguments arguments("plan_repair");
    PARAPET_CHECK(arguments.check_not_null({code, plan}));
    PARAPET_TRY(const ChunkSet sources, arguments.set(available, available_count, code->code.n()));
    PARAPET_TRY(const ChunkSet targets, arguments.set(wanted, wanted_count, code->code.n()));
    PARAPET_TRY(const RepairGoal repair_goal, arguments.goal(goal));
    PARAPET_TRY(const Plan made, code->code.plan_repair(sources, targets, chunk_size, repair_goal));
    *plan = parapet::codec::to_c(made);
    return {};
  });
}

int parapet_code_plan_read(const parapet_code* code, const unsigned* available, size_t available_count,
                           parapet_chunk_range range, size_t chunk_size, int goal, parapet_plan** plan,
                           parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const Arguments arguments("plan_read");
    PARAPET_CHECK(arguments.check_not_null({code, plan}));
    PARAPET_TRY(const ChunkSet sources, arguments.set(available, available_count, code->code.n()));
    const ChunkRange wanted{range.chunk, range.offset, range.length};
    PARAPET_TRY(const RepairGoal repair_goal, arguments.goal(goal));
    PARAPET_TRY(const Plan made, code->code.plan_read(sources, wanted, chunk_size, repair_goal));
    *plan = parapet::codec::to_c(made);
    return {};
  });
}

void parapet_plan_free(parapet_plan* plan) { delete plan; }

const parapet_chunk_range* parapet_plan_reads(const parapet_plan* plan, size_t* count) {
  return parapet::codec::share(plan == nullptr ? nullptr : &plan->reads, count);
}

const parapet_chunk_range* parapet_plan_outputs(const parapet_plan* plan, size_t* count) {
  return parapet::codec::share(plan == nullptr ? nullptr : &plan->outputs, count);
}

parapet_cost parapet_plan_cost(const parapet_plan* plan) {
  if (plan == nullptr) return {};
  const parapet::PlanCost cost = plan->plan.cost();
  return {cost.bytes, cost.ranges, cost.chunks};
}

int parapet_plan_run(const parapet_plan* plan, const parapet_const_region* inputs, size_t input_count,
                     const parapet_region* outputs, size_t output_count, parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    Arguments arguments("run");
    PARAPET_CHECK(arguments.check_not_null({plan}));
    PARAPET_TRY(const auto sources, arguments.list<ConstRegion>(inputs, input_count, plan->reads.size()));
    PARAPET_TRY(const auto targets, arguments.list<Region>(outputs, output_count, plan->outputs.size()));
    return plan->plan.run(sources, targets);
  });
}

const char* const* parapet_families(size_t* count) {
  if (count == nullptr) return nullptr;
  *count = 0;
  try {
    static const parapet::codec::FamilyNames families;
    *count = families.pointers.size();
    return families.pointers.data();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

int parapet_active_isa(const char** name, parapet_error* error) {
  return guarded(error, [&]() -> Result<void> {
    PARAPET_CHECK(Arguments("active_isa").check_not_null({name}));
    PARAPET_TRY(const std::string_view isa, parapet::active_isa());
    static const std::string text(isa);
    *name = text.c_str();
    return {};
  });
}
