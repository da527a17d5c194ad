#!/bin/sh
# Installs, upgrades, removes and purges the Debian package in clean roots, and says what came.
#   sudo sh deploy/try-deb.sh            for Debian 12 and 13, of this machine's architecture
#   sudo sh deploy/try-deb.sh 12         for one of them
# It builds the packages, and the roots with debootstrap from the mirror that apt uses here. Exit
# status 0: all that could be tried was right; 1: something was not; 3: nothing could be tried.
set -eu
cd "$(dirname "$0")/.."
. deploy/roots.sh
own_namespaces "$@"

require_debootstrap
architecture=$(dpkg --print-architecture)
case "$architecture" in amd64 | arm64) ;; *) skip "no package for $architecture" ;; esac
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
make_scratch ""
# Runs a command in the root.
in_root() { chroot "$scratch/tree" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }

tried=0
for release in "${@:-12 13}"; do
    for one in $release; do
        suite=$(suite_of "$one")
        say "Debian $one ($suite) from $mirror"
        rm -rf --one-file-system "$scratch/tree"
        if ! make_root "$suite" "$scratch/tree"; then
            say "skipped: debootstrap failed: $(tail -1 "$scratch/log")"
            continue
        fi
        tried=1
        mount -t proc proc "$scratch/tree/proc" 2>/dev/null || say "without /proc: it cannot be mounted here"
        connect_root "$scratch/tree"
        first=$(sh deploy/build-deb.sh "$architecture" "$one")
        cp "$first" "$scratch/tree/first.deb"
        # The next version: the same with another number.
        dpkg-deb --raw-extract "$first" "$scratch/next"
        sed -i "s/^Version: .*/Version: $version+1~deb$one/" "$scratch/next/DEBIAN/control"
        dpkg-deb --build --root-owner-group -Znone "$scratch/next" "$scratch/tree/second.deb" >/dev/null
        rm -rf "$scratch/next"

        check "installed" in_root apt-get install -y -q --no-install-recommends /first.deb
        check "tilewatch --version says $version" \
            sh -c "chroot '$scratch/tree' tilewatch --version | grep -qx 'tilewatch $version'"
        check "every library can be loaded" in_root /usr/bin/python3 -sc 'import sys
sys.path.insert(0, "/opt/tilewatch/lib")
import av, cryptography, cv2, flask, linuxpy, onnxruntime, paho.mqtt, pydantic, segno, spake2, uvicorn'
        in_root tilewatch doctor --json --data /tmp/doctor >"$scratch/doctor" 2>/dev/null || true
        check "the reader reads a drawn board" grep -q 'a board is found in' "$scratch/doctor"
        check "the user exists" in_root id tilewatch
        check "the unit is there" in_root test -f /usr/lib/systemd/system/tilewatch.service
        echo "a game" >"$scratch/tree/var/lib/tilewatch/game"
        echo 'name = "Table 1"' >"$scratch/tree/etc/tilewatch/table.toml"
        check "upgraded" in_root apt-get install -y -q --no-install-recommends /second.deb
        check "the upgrade kept data and configuration" \
            in_root test -f /var/lib/tilewatch/game -a -f /etc/tilewatch/table.toml
        check "removed" in_root apt-get remove -y -q tilewatch
        check "no program is left" in_root sh -c '! test -e /opt/tilewatch/lib && ! test -e /usr/bin/tilewatch'
        check "the removal kept data and configuration" \
            in_root test -f /var/lib/tilewatch/game -a -f /etc/tilewatch/table.toml
        check "installed again" in_root apt-get install -y -q --no-install-recommends /second.deb
        check "purged" in_root apt-get purge -y -q tilewatch
        check "nothing is left" in_root sh -c \
            '! test -e /var/lib/tilewatch && ! test -e /etc/tilewatch && ! id tilewatch'
        unmount_in "$scratch/tree"
    done
done
[ "$tried" = 1 ] || exit 3
exit "$wrong"
