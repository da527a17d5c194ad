#!/bin/sh
# Tries tilewatch on arm64, the Raspberry Pi's architecture, on any machine: in a root of Debian 13
# for arm64, under qemu's user mode emulation.
#   sudo sh deploy/try-arm64.sh                     all of it, in a scratch folder
#   sudo sh deploy/try-arm64.sh --keep DIR          leave the roots in DIR; the next try uses them again
#   … --recordings ../shared/recordings             replay these recordings too, and compare with this machine
#   … --skip-tests                                  without the tests
# It makes the roots with debootstrap from the mirror that apt uses here. Neither the kernel's
# binfmt_misc nor a container is needed: proot starts each program of the root under qemu. What no
# emulation can show: cameras, pins, speed. Exit status 0: all that could be tried was right;
# 1: something was not; 3: nothing could be tried.
set -eu
cd "$(dirname "$0")/.."

say() { echo "try-arm64.sh: $1"; }
skip() { say "skipped: $1"; exit 3; }
keep="" recordings="" tests=1
while [ $# -gt 0 ]; do
    case "$1" in
        --keep | --recordings)
            [ $# -ge 2 ] || { echo "try-arm64.sh: $1 needs a folder" >&2; exit 2; }
            [ "$1" = --keep ] && keep=$2 || recordings=$2
            shift 2 ;;
        --skip-tests) tests="" ; shift ;;
        *) echo "try-arm64.sh: unknown option $1; known are --keep, --recordings, --skip-tests" >&2; exit 2 ;;
    esac
done
[ "$(id -u)" = 0 ] || skip "a root can only be made as root (sudo)"
command -v debootstrap >/dev/null || skip "no debootstrap here; sudo apt install debootstrap"
[ -x .venv/bin/tilewatch ] || skip "no tilewatch here to compare with; sh install.sh"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' |
    grep -v security | grep '/debian/*$' | head -1)
[ -n "$mirror" ] || skip "apt knows no Debian mirror here"
proxy=$(apt-config shell P Acquire::http::Proxy | sed "s/^P='\(.*\)'$/\1/")
[ -z "$proxy" ] || export http_proxy="$proxy"

if [ -n "$keep" ]; then
    mkdir -p "$keep"
    scratch=$(cd "$keep" && pwd)
else
    scratch=$(mktemp -d)
    trap 'rm -rf --one-file-system "$scratch"' EXIT
fi
tools=$scratch/tools root=$scratch/arm64 wrong=0
# Says whether something is so: a description, then a command.
check() {
    what=$1
    shift
    if "$@" >"$scratch/output" 2>&1; then say "ok  $what"; else
        say "NO  $what"
        tail -20 "$scratch/output" | sed 's/^/    /'
        wrong=1
    fi
}
# Runs a command in the arm64 root. qemu and proot are Debian 13's: qemu 7.2, Debian 12's, crashes in onnxruntime.
on_arm64() {
    PROOT_NO_SECCOMP=1 "$tools/lib64/ld-linux-x86-64.so.2" --library-path "$tools/usr/lib/x86_64-linux-gnu" \
        "$tools/usr/bin/proot" -0 -r "$root" -q "$tools/usr/bin/qemu-aarch64" -w / \
        -b /proc -b /dev -b /sys -b /etc/resolv.conf \
        /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive container=lxc "$@"
}

# 1. The roots: one of this machine's architecture with qemu and proot in it, and one for arm64.
if [ ! -e "$tools/complete" ]; then
    say "Debian 13's qemu and proot, from $mirror"
    rm -rf --one-file-system "$tools"
    debootstrap --variant=minbase --include=qemu-user,proot trixie "$tools" "$mirror" >"$scratch/log" 2>&1 ||
        skip "debootstrap failed: $(tail -1 "$scratch/log")"
    touch "$tools/complete"
fi
if [ ! -e "$root/complete" ]; then
    say "Debian 13 for arm64"
    rm -rf --one-file-system "$root"
    debootstrap --arch=arm64 --foreign --variant=minbase \
        --include=ca-certificates,python3,python3-venv,libgl1,libglib2.0-0t64 \
        trixie "$root" "$mirror" >"$scratch/log" 2>&1 || skip "debootstrap failed: $(tail -1 "$scratch/log")"
    rm "$root/proc" && mkdir "$root/proc"  # where /proc cannot be mounted it is a link
    on_arm64 DEBOOTSTRAP_DIR=/debootstrap /debootstrap/debootstrap --second-stage >"$scratch/log" 2>&1 ||
        skip "the second stage failed: $(tail -1 "$scratch/log")"
    touch "$root/complete"
fi
say "on $(on_arm64 uname -m), $(on_arm64 python3 --version), $("$tools/usr/bin/qemu-aarch64" --version | head -1)"

# 2. The Debian package, built here and installed there.
package=$(sh deploy/build-deb.sh arm64 13)
cp "$package" "$root/tilewatch.deb"
[ -z "$proxy" ] || echo "Acquire::http::Proxy \"$proxy\";" >"$root/etc/apt/apt.conf.d/proxy"
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
    rm -rf --one-file-system "$root/tmp/$name" "$root/tmp/out" && cp -r "$(dirname "$recording")" "$root/tmp/$name"
    .venv/bin/tilewatch replay --json --out "$scratch/out-$name" "$(dirname "$recording")" >"$scratch/$name.here" || true
    on_arm64 tilewatch replay --json --out /tmp/out "/tmp/$name" >"$scratch/$name.arm64" 2>"$scratch/log" || true
    check "$name: $(turns "$scratch/$name.here" | wc -l) turns as on $(uname -m)" \
        same_turns "$scratch/$name.here" "$scratch/$name.arm64"
done

# 4. The installer, and a choice of the tests: what depends on the machine.
if [ -n "$tests" ]; then
    rm -rf --one-file-system "$root/src" && mkdir "$root/src"
    git ls-files -z | xargs -0 cp --parents -t "$root/src"
    [ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/pip.conf"
    check "install.sh runs through" on_arm64 sh -c 'cd /src && sh install.sh'
    check "what the tests need is installed" \
        on_arm64 /src/.venv/bin/pip install --quiet pytest hypothesis
    check "tests: reader, rules, log, drivers" on_arm64 sh -c 'cd /src && .venv/bin/python -m pytest -q \
        -p no:cacheprovider tests/vision tests/game/test_corpus.py tests/record/test_event_log.py \
        tests/record/test_crashes.py tests/record/test_signing.py tests/sensors'
fi
exit "$wrong"
