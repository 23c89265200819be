// Rules that a test may break, to see that the simulator notices. In every other build the switches are constants, and
// nothing of them is left.
#pragma once

namespace parapet::base {

/// Each breaks one rule of the update protocol.
enum class Mutant {
  none,
  move_uncommitted,              ///< Homes take updates that are not committed.
  fold_in_place,                 ///< Folded parity goes home without an image in the log.
  move_without_flush,            ///< Tags say durably what homes may not have yet.
  fold_reserve_twice,            ///< A folded reserve stays.
  trim_without_flush,            ///< The log's head passes images that are not durable in their places.
  trim_without_images,           ///< ... that were not even written.
  no_space_reserved,             ///< Updates are appended without a promise of room.
  lap_the_log,                   ///< Appends go over the head of the log.
  believe_stale_records,         ///< A scan takes what an earlier opening left behind the end.
  reuse_units_at_once,           ///< Units are given out again while the log has images of them.
  trust_blocks,                  ///< Checksums of blocks are not looked at.
  one_superblock,                ///< The superblock is written over itself.
  shortest_chain,                ///< Recovery takes the shortest chain.
  no_fill,                       ///< Who lacks the end of a chain is left so.
  repair_before_fill,            ///< A damaged chunk is made anew from chunks that lack the end of a chain.
  serve_before_durable,          ///< What was filled is served before it is durable.
  reuse_ids,                     ///< An opening takes the ballot of the one before.
  acknowledge_without_a_holder,  ///< The last parity holder is not written.
  ignore_failed_logs,            ///< A device whose log fails goes on counting.
  flush_covers_a_hole,           ///< A batch whose write failed counts as durable.
  no_configuration,              ///< A device is left out without a word.
  no_majority,                   ///< Any devices may configure the pool.
  no_missed_mask,                ///< Nobody remembers what a left-out holder lacks.
  forget_uncommitted_lack,       ///< What was not committed when a holder went out is taken for what it has.
  trust_returned_devices,        ///< A device that was away is in again without a look at the masks.
  count_before_durable,          ///< A rebuilt chunk counts before it is durable.
  no_members,                    ///< A holder is left out of a segment without new members.
  drop_staged_images,            ///< Images of a device that goes out are forgotten before they are committed.
  remove_in_one_step,            ///< A segment is taken apart before all holders know that it is dropped.
};

#ifdef PARAPET_MUTANTS
inline Mutant active_mutant = Mutant::none;
inline bool broken(Mutant mutant) { return active_mutant == mutant; }
#else
constexpr bool broken(Mutant) { return false; }
#endif

}  // namespace parapet::base
