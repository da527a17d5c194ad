#!/bin/sh
# Runs the README's two commands, to the letter, in bare roots of Debian: a clone of what is committed here,
# as root, and as an ordinary user who may sudo.
#   sudo sh deploy/try-debian.sh                  on Debian 12 and 13
#   sudo sh deploy/try-debian.sh 13               on one of them
#   … --as root                                   as one of the two: root or user
#   … --tests "tests/hub tests/record"            the second command with these tests alone
#   … --tests "-m slow"                           the second command with the tests that it leaves out
#   … --keep DIR                                  leave the roots in DIR; the next try makes its own of DIR's bare ones
# It makes the roots with debootstrap from the mirror that apt uses here, with no more than the README asks
# for: Python and git. ../shared is there where it is here. The demo's page is asked for, and the demo stopped
# with Ctrl-C. Exit status 0: all that could be tried was right; 1: something was not; 3: nothing could be tried.
set -eu
cd "$(dirname "$0")/.."
. deploy/roots.sh
own_namespaces "$@"

keep="" tests="" who="root user" releases=""
while [ $# -gt 0 ]; do
    case "$1" in
        --keep | --tests | --as)
            [ $# -ge 2 ] || usage "$1 needs a value"
            case "$1" in --keep) keep=$2 ;; --tests) tests=$2 ;; --as) who=$2 ;; esac
            shift 2 ;;
        12 | 13) releases="$releases $1"; shift ;;
        *) usage "unknown argument $1; known are 12, 13, --as, --keep, --tests" ;;
    esac
done
case "$who" in root | user | "root user") ;; *) usage "--as root, or --as user" ;; esac
require_debootstrap
[ -n "${OWN_NAMESPACES:-}" ] || skip "a browser needs /proc and /dev/shm, and nothing can be mounted here"
listening() { python3 -c 'import socket; socket.create_connection(("127.0.0.1", 8000), 1)' 2>/dev/null; }
! listening || skip "something listens on port 8000 of this machine already, where the demo is to be; stop that first"
# The commands as the README has them.
first=$(git show HEAD:README.md | sed -n 's/^    \(sh install\.sh && .*\)$/\1/p')
second=$(git show HEAD:README.md | sed -n 's/^    \(sh install\.sh --dev && .*\)$/\1/p')
[ -n "$first" ] && [ -n "$second" ] || { say "NO  the README has the two commands"; exit 1; }
make_scratch "$keep"
[ -z "$(git status --porcelain)" ] || say "what is not committed is left out"

# Runs a command line in the clone, as whom this root is for, with what a terminal gives it. The first
# argument says how: nothing, or "exec setsid".
in_clone() {
    home=/root as="" path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    [ "$one" = root ] || { home=/home/player as="setpriv --reuid player --regid player --init-groups"
                           path=/usr/local/bin:/usr/bin:/bin:/usr/games; }
    # shellcheck disable=SC2086 # a command and its options
    $1 chroot "$root" $as env --default-signal=INT -i HOME="$home" USER="${home##*/}" PATH="$path" LANG=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        sh -c "cd ~/tilewatch && $2"
}
as_admin() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
# Everything that a program looks for besides the disk, and a clone.
prepare() {
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    mount -t devpts -o newinstance,gid=5,mode=620,ptmxmode=666 devpts "$root/dev/pts"
    connect_root "$root"
    as_admin update-ca-certificates
    if [ "$one" = user ]; then
        as_admin apt-get update -qq
        as_admin apt-get install -y -qq --no-install-recommends sudo
        as_admin useradd --create-home --shell /bin/bash player
        echo "player ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/player"
    fi
    home=$root/root
    [ "$one" = root ] || home=$root/home/player
    git clone --quiet . "$home/tilewatch"
    [ "$one" = root ] || as_admin chown -R player:player /home/player
    if [ -d ../shared ]; then
        mkdir "$home/shared"
        mount --bind -o ro ../shared "$home/shared"
    fi
}
# Asks for the demo's page until it is there, for as long as the demo runs.
demo_answers() {
    while kill -0 "$demo" 2>/dev/null; do
        if as_admin python3 - <<'ASK'; then return 0; fi
import sys, urllib.request
try:
    with urllib.request.urlopen("http://127.0.0.1:8000", timeout=20) as answer:
        page = answer.read().decode()
except OSError:
    sys.exit(1)
sys.exit("Demo table" not in page)
ASK
        sleep 2
    done
    cat "$scratch/demo"
    return 1
}
# Ctrl-C, for everything that the command line has started.
demo_stops() {
    kill -s INT -- "-$demo" || true
    for _ in $(seq 60); do
        kill -0 "$demo" 2>/dev/null || break
        sleep 1
    done
    cat "$scratch/demo"
    ! kill -0 "$demo" 2>/dev/null && ! listening && ! grep -q Traceback "$scratch/demo"
}
passed() {
    grep -E '^(FAILED|ERROR) |^install\.sh: ' "$log" || tail -20 "$log"
    [ "$status" = 0 ]
}

tried=0
for release in ${releases:-12 13}; do
    bare=$scratch/debian-$release
    if ! make_root "$(suite_of "$release")" "$bare" --include=ca-certificates,git,python3; then
        say "skipped: debootstrap failed: $(tail -1 "$scratch/log")"
        continue
    fi
    for one in $who; do
        root=$scratch/debian-$release-$one log=$scratch/tests-$release-$one.log
        unmount_in "$root"
        rm -rf --one-file-system "$root"
        cp -a "$bare" "$root"
        if ! (set -e; prepare) >"$scratch/log" 2>&1; then
            say "skipped: no clone in a root: $(tail -1 "$scratch/log")"
            continue
        fi
        tried=1
        say "Debian $release, $(as_admin python3 --version), as $one"

        in_clone "exec setsid" "$first" >"$scratch/demo" 2>&1 &
        demo=$!
        check "$first: its page answers" demo_answers
        check "and stops with Ctrl-C" demo_stops
        kill -s KILL -- "-$demo" 2>/dev/null || true

        status=0
        in_clone "" "$second${tests:+ $tests}" >"$log" 2>&1 || status=$?
        check "$second${tests:+ $tests}: $(tail -1 "$log")" passed
        unmount_in "$root"
        [ -n "$keep" ] || rm -rf --one-file-system "$root"
    done
done
[ "$tried" = 1 ] || exit 3
exit "$wrong"
