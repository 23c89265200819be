#!/usr/bin/env bash
# Shows on real files that Parapet keeps its promise: encodes, loses, damages, repairs, decodes, compares.
# Run it with `./dev demo`. PARAPET names the program. Exits with 1 when a single byte differs.
set -euo pipefail

scratch=$(mktemp -d "${TMPDIR:-/tmp}/parapet-demo.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

say() { printf '\n%s\n' "$*"; }
die() { printf '\nDEMO FAILED: %s\n' "$*" >&2; exit 1; }

# Prints a command as a person would type it.
show() {
  local word line='$'
  for word in "${@/#"$PARAPET"/parapet}"; do
    [[ $word == *[\(\ ]* ]] && word="'$word'"
    line+=" $word"
  done
  echo "$line"
}

# Shows and runs a command that has to succeed.
run() {
  show "$@"
  "$@" || die "exit status $?, expected 0"
}

# Shows and runs a command that has to fail with exit status 1.
run_failing() {
  local status=0
  show "$@"
  "$@" || status=$?
  [ "$status" = 1 ] || die "exit status $status, expected 1"
  echo "(exit status 1, as it should be)"
}

megabytes_of() { du -sm "$1" 2>/dev/null | cut -f1; }

# The first folder of this machine that is large enough to impress and small enough for the free space: the tar, its
# shards (4/3), a second copy of some of them and the decoded file together need some 4 times its size.
choose_folder() {
  local folder size free
  free=$(df -m --output=avail "$scratch" | tail -n 1)
  for folder in /usr/share /usr /usr/lib /usr/share/doc /usr/bin /etc; do
    size=$(megabytes_of "$folder") || true
    if [ "${size:-0}" -ge "$1" ] && [ "$size" -le 1200 ] && [ $((4 * size + 64)) -le "$free" ]; then
      echo "$folder"
      return
    fi
  done
  return 1
}

# flip FILE OFFSET: inverts all bits of one byte.
flip() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  # shellcheck disable=SC2059
  printf "\\x$(printf '%02x' $((byte ^ 255)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
  echo "byte $2 of $(basename "$1") inverted"
}

shard() { printf 'shards/shard-%03d.parapet' "$1"; }
part_shard() { printf 'part/shard-%03d.parapet' "$1"; }

same_shards() { sha256sum --check --quiet shards.sha256 && echo "All 16 shards are what they were, byte for byte."; }

folder=$(choose_folder 100 || choose_folder 20 || choose_folder 1) || die "not enough free space in $scratch"
cd "$scratch"

say "1. A real file: a tar of this machine's $folder."
echo "\$ tar -cf files.tar $folder"
tar -C / -cf files.tar "${folder#/}"
original=$(sha256sum <files.tar)
printf '%s bytes, sha256 %.16s...\n' "$(stat -c %s files.tar)" "$original"

say "2. Encode it into 12 data and 4 parity shards. Any 4 of the 16 may be lost."
run "$PARAPET" encode files.tar --code 'xrs(12,4)' --out shards
sha256sum shards/* >shards.sha256

size=$(stat -c %s "$(shard 1)")
say "3. Lose one shard and rebuild just that. Reed-Solomon would read 12 shards, $((12 * size >> 20)) MiB; xrs reads less."
run rm "$(shard 3)"
run "$PARAPET" repair shards --lost-only
same_shards || die "the repaired shard differs"

say "4. Lose 4 shards, data and parity, as many as the code bears, and repair them."
run rm "$(shard 0)" "$(shard 5)" "$(shard 11)" "$(shard 14)"
run "$PARAPET" repair shards
same_shards || die "a repaired shard differs"

say "5. Damage 10 of the 16 shards, one byte each at scattered places. Checksums find each."
for i in 0 1 2 4 6 8 9 10 12 15; do flip "$(shard "$i")" $((4096 + (size - 8192) / 17 * (i + 1))); done
run_failing "$PARAPET" verify shards
run "$PARAPET" repair shards
same_shards || die "a repaired shard differs"

say "6. Lose 3 shards and damage a fourth; decode without any repair."
run rm "$(shard 1)" "$(shard 2)" "$(shard 13)"
flip "$(shard 7)" $((size / 2))
run "$PARAPET" decode shards --out decoded.tar
[ "$(sha256sum <decoded.tar)" = "$original" ] || die "the decoded file differs"
printf 'sha256 %.16s...: the decoded file is the original.\n' "$original"

say "7. Lose two more: now it is too many. The program says so and writes nothing."
run rm "$(shard 4)" "$(shard 9)"
run_failing "$PARAPET" decode shards --out impossible.tar
[ ! -e impossible.tar ] || die "impossible.tar exists"

say "8. Other codes, on the first 48 MiB of the tar: lose shard 3, rebuild it, and see how much of the data that reads."
run "$PARAPET" codes
head -c $((48 << 20)) files.tar >part.tar
for code in 'rs(12,4)' 'xrs(12,4)' 'hitchhiker(12,4)' 'lrc(12,2,2)' 'clay(12,4)' 'rdp(12,2)' \
  'liberation(12,2,packetsize=4096)'; do
  "$PARAPET" encode part.tar --code "$code" --out part >/dev/null || die "$code: cannot encode"
  mv "$(part_shard 3)" shard-003.before
  repaired=$("$PARAPET" repair part --lost-only) || die "$code: cannot repair"
  cmp -s "$(part_shard 3)" shard-003.before || die "$code: the repaired shard differs"
  rm "$(part_shard 0)" "$(part_shard 12)"
  "$PARAPET" decode part --out part.decoded >/dev/null || die "$code: cannot decode"
  cmp -s part.tar part.decoded || die "$code: the decoded file differs"
  printf '%-34s%s\n' "$code" "$(grep -o 'read .*data)' <<<"$repaired")"
  rm -r part part.decoded
done

say "Everything came back as it was."
