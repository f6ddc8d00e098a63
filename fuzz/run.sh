#!/usr/bin/env bash
# Runs fuzz targets that were built, all at the same time, and prints what they found.
#
#   run.sh SECONDS [TARGET…]    every target, or those named, for this long
#
# It needs no toolchain: `scripts/fuzz --pack FOLDER` writes the program, the dictionaries, the seeds and this script.
# Logs, new inputs and findings go to $OUT (./out). FUZZ_TIMEOUT (5 s) and FUZZ_MEMORY (1024 MB) bound one input.
# The status is 1 if there are findings.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$PWD/out}
seconds=${1:?usage: run.sh SECONDS [TARGET…]}
shift
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(ls "$here/corpus")
cores=$(nproc)
# One process each; what is left goes to the targets with the most code behind them.
spare=$((cores > ${#targets[@]} ? cores - ${#targets[@]} : 0))
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=32:${ASAN_OPTIONS:-}
# A machine without the C++ library uses the one that was packed.
FUZZ_TARGET=wire "$here/bin/calipers-fuzz" -help=1 >/dev/null 2>&1 || export LD_LIBRARY_PATH=$here/lib

for target in "${targets[@]}"; do
  jobs=1
  case $target in
    report) jobs=$((1 + (spare + 1) / 2)) ;;
    inference) jobs=$((1 + spare / 2)) ;;
  esac
  dictionary=$here/dict/text.dict length=65536
  case $target in onnx | inference | report | wire | sniff) dictionary=$here/dict/onnx.dict ;; esac
  case $target in inference | report | devices | expressions | gates | claims | templates) length=16384 ;; esac
  mkdir -p "$out/corpus/$target" "$out/findings/$target"
  # A finding does not end the run: a process of its own runs the inputs.
  FUZZ_TARGET=$target "$here/bin/calipers-fuzz" -fork="$jobs" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 \
    -max_total_time="$seconds" -timeout="${FUZZ_TIMEOUT:-5}" -rss_limit_mb="${FUZZ_MEMORY:-1024}" -max_len=$length \
    -dict="$dictionary" -artifact_prefix="$out/findings/$target/" \
    "$out/corpus/$target" "$here/corpus/$target" >"$out/$target.log" 2>&1 &
done
wait

failed=0
printf '%-12s %12s %9s %8s %8s %8s %8s\n' target runs coverage corpus crashes timeouts memory
for target in "${targets[@]}"; do
  log=$out/$target.log
  # #4242: cov: 100 ft: 300 corp: 20 exec/s 500 oom/timeout/crash: 0/0/0 time: 60s …
  last=$(grep -aE '^#[0-9]+: cov: ' "$log" | tail -1 || true)
  if [ -z "$last" ]; then
    echo "$target: did not run, see $log"
    failed=1
    continue
  fi
  IFS=/ read -r memory timeouts crashes <<<"$(sed -E 's|.*crash: ([0-9/]+) .*|\1|' <<<"$last")"
  number() { sed -E "s|.*$1 *([0-9]+).*|\1|" <<<"$last"; }
  printf '%-12s %12s %9s %8s %8s %8s %8s\n' "$target" "$(number '^#')" "$(number 'cov:')" "$(number 'corp:')" \
    "$crashes" "$timeouts" "$memory"
  [ "$memory/$timeouts/$crashes" = 0/0/0 ] || failed=1
  grep -ahE "panicked at|^SUMMARY|assertion" -A1 "$log" | grep -av '^--' | sort | uniq -c | sort -rn | head -12 | sed 's/^/    /' || true
  # Inputs that fail in the same way are many; a few suffice.
  ls -S "$out/findings/$target" | head -n -20 | sed "s|^|$out/findings/$target/|" | xargs -r rm -f
done
exit $failed
