#!/bin/sh
# Tries tilewatch on arm64, the Raspberry Pi's architecture, on any machine: in a root of Debian 13
# for arm64, under qemu's user mode emulation.
#   sudo sh deploy/try-arm64.sh                     all of it, in a scratch folder
#   sudo sh deploy/try-arm64.sh --keep DIR          leave the roots in DIR; the next try uses them again
#   … --recordings ../shared/recordings             replay these recordings too, and compare with this machine
#   … --skip-tests                                  without the tests
# It makes the roots with debootstrap from the mirror that apt uses here. Each program of the root is
# started under qemu: by the kernel's binfmt_misc, in a namespace of this script's own, so that nothing
# changes for other programs; before Linux 6.7 by proot, which is slower. What no emulation can show:
# cameras, pins, speed. Exit status 0: all that could be tried was right; 1: something was not;
# 3: nothing could be tried.
set -eu
cd "$(dirname "$0")/.."
. deploy/roots.sh

keep="" recordings="" tests=1
while [ $# -gt 0 ]; do
    case "$1" in
        --keep | --recordings)
            [ $# -ge 2 ] || usage "$1 needs a folder"
            [ "$1" = --keep ] && keep=$2 || recordings=$2
            shift 2 ;;
        --skip-tests) tests="" ; shift ;;
        *) usage "unknown option $1; known are --keep, --recordings, --skip-tests" ;;
    esac
done
require_debootstrap
[ -x .venv/bin/tilewatch ] || skip "no tilewatch here to compare with; sh install.sh"
make_scratch "$keep"
tools=$scratch/tools root=$scratch/arm64 holder=""
trap '[ -z "$holder" ] || kill "$holder"; clean_up' EXIT
# Makes a namespace in which the kernel runs arm64 programs under qemu; false where it cannot.
# qemu and proot are Debian 13's: qemu 7.2, Debian 12's, crashes in onnxruntime.
emulate() {
    unshare -U -m sleep infinity &
    holder=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(readlink /proc/self/ns/user)" = "$(readlink "/proc/$holder/ns/user")" ] || break
        sleep 0.2
    done
    { echo "0 0 65536" >"/proc/$holder/uid_map" && echo "0 0 65536" >"/proc/$holder/gid_map" &&
        nsenter -t "$holder" -U -m sh -s "$tools" "$root"; } >"$scratch/log" 2>&1 <<'NAMESPACE'
set -e
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
elf='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf %s ":arm64:M::$elf:$mask:$1/usr/bin/qemu-aarch64:FPOC" >/proc/sys/fs/binfmt_misc/register
for folder in proc dev sys; do mount --rbind "/$folder" "$2/$folder"; done
NAMESPACE
}
# Runs a command in the arm64 root, on a Pi 4's kind of processor. On qemu's own, which has SVE, some
# of numpy's results are wrong: those of OpenBLAS's kernels for SVE.
on_arm64() {
    if [ -n "$holder" ]; then
        set -- nsenter -t "$holder" -U -m chroot "$root" /usr/bin/env "$@"
    else
        set -- "$tools/lib64/ld-linux-x86-64.so.2" --library-path "$tools/usr/lib/x86_64-linux-gnu" \
            "$tools/usr/bin/proot" -0 -r "$root" -q "$tools/usr/bin/qemu-aarch64" -w / \
            -b /proc -b /dev -b /sys -b /etc/resolv.conf /usr/bin/env "$@"
    fi
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 PROOT_NO_SECCOMP=1 \
        QEMU_CPU=cortex-a72 DEBIAN_FRONTEND=noninteractive container=lxc "$@"
}

# 1. The roots: one of this machine's architecture with qemu and proot in it, and one for arm64.
say "Debian 13's qemu and proot, from $mirror"
make_root trixie "$tools" --include=qemu-user,proot || skip "debootstrap failed: $(tail -1 "$scratch/log")"
if [ ! -e "$root/complete" ]; then
    say "Debian 13 for arm64"
    rm -rf --one-file-system "$root"
    debootstrap --arch=arm64 --foreign --variant=minbase \
        --include=ca-certificates,python3,python3-venv,libgl1,libglib2.0-0t64 \
        trixie "$root" "$mirror" >"$scratch/log" 2>&1 || skip "debootstrap failed: $(tail -1 "$scratch/log")"
    rm "$root/proc" && mkdir "$root/proc"  # where /proc cannot be mounted it is a link
fi
connect_root "$root"
emulate || { kill "$holder"; holder=""; say "by proot, since $(tail -1 "$scratch/log")"; }
if [ ! -e "$root/complete" ]; then
    on_arm64 DEBOOTSTRAP_DIR=/debootstrap /debootstrap/debootstrap --second-stage >"$scratch/log" 2>&1 ||
        skip "the second stage failed: $(tail -1 "$scratch/log")"
    touch "$root/complete"
fi
say "on $(on_arm64 uname -m), $(on_arm64 python3 --version), $("$tools/usr/bin/qemu-aarch64" --version | head -1)"

# 2. The Debian package, built here and installed there.
package=$(sh deploy/build-deb.sh arm64 13)
cp "$package" "$root/tilewatch.deb"
on_arm64 apt-get update -qq >"$scratch/log" 2>&1 || true
check "the package is installed" on_arm64 apt-get install -y -q --no-install-recommends /tilewatch.deb
check "every library can be loaded" on_arm64 /usr/bin/python3 -sc 'import sys
sys.path.insert(0, "/opt/tilewatch/lib")
import av, cryptography, cv2, flask, linuxpy, onnxruntime, paho.mqtt, pydantic, segno, spake2, uvicorn'
on_arm64 tilewatch doctor --json --data /tmp/doctor >"$scratch/doctor" 2>/dev/null || true
check "the reader reads a drawn board" grep -q 'a board is found in' "$scratch/doctor"

# 3. Recordings, turn by turn as on this machine.
turns() {
    .venv/bin/python -c 'import json, sys
for turn in json.load(open(sys.argv[1]))["turns"]:
    play = [turn[part] for part in ("number", "side", "kind", "position", "word", "score", "total")]
    print(*play, *sorted(flag["code"] for flag in turn["flags"]))' "$1"
}
same_turns() { turns "$1" >"$1.turns" && turns "$2" >"$2.turns" && diff "$1.turns" "$2.turns"; }
for recording in ${recordings:+"$recordings"/*/recording.toml}; do
    name=$(basename "$(dirname "$recording")")
    rm -rf --one-file-system "$root/tmp/$name" "$root/tmp/out" && cp -rL "$(dirname "$recording")" "$root/tmp/$name"
    .venv/bin/tilewatch replay --json --out "$scratch/out-$name" "$(dirname "$recording")" >"$scratch/$name.here" || true
    on_arm64 tilewatch replay --json --out /tmp/out "/tmp/$name" >"$scratch/$name.arm64" 2>"$scratch/log" || true
    check "$name: $(turns "$scratch/$name.here" | wc -l) turns as on $(uname -m)" \
        same_turns "$scratch/$name.here" "$scratch/$name.arm64"
done

# 4. The installer, and a choice of the tests: what depends on the machine.
if [ -n "$tests" ]; then
    rm -rf --one-file-system "$root/src" && mkdir "$root/src"
    git ls-files -z | xargs -0 cp --parents -t "$root/src"
    on_arm64 update-ca-certificates >"$scratch/log" 2>&1 || true
    check "install.sh runs through" on_arm64 sh -c 'cd /src && sh install.sh'
    check "what the tests need is installed" \
        on_arm64 /src/.venv/bin/pip install --quiet pytest pytest-timeout pytest-xdist hypothesis av gpiozero
    check "tests: reader, rules, log, drivers" on_arm64 sh -c 'cd /src && .venv/bin/python -m pytest -q \
        -p no:cacheprovider tests/vision tests/game/test_corpus.py tests/record/test_event_log.py \
        tests/record/test_crashes.py tests/record/test_signing.py tests/sensors'
fi
exit "$wrong"
