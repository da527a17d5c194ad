#!/bin/sh
# Builds the Debian package of a tilewatch table.
#   sh deploy/build-deb.sh amd64 12             for Debian 12 (bookworm) on amd64, into dist/
#   sh deploy/build-deb.sh arm64 13             for Debian 13 (trixie) or Raspberry Pi OS 13
#   … --version 0.2.0+1                         another version than pyproject.toml's
# It has the Python environment inside, made of wheels: nothing of the target is run, so that any
# machine with pip and dpkg-deb builds all four. PYTHON names the Python whose pip is used.
set -eu
cd "$(dirname "$0")/.."

fail() { echo "build-deb.sh: $1" >&2; exit 2; }
[ $# -ge 2 ] || fail "say for what: amd64 or arm64, then 12 or 13"
architecture=$1 release=$2
shift 2
python=${PYTHON:-python3}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
while [ $# -gt 0 ]; do
    case "$1" in
        --version) [ $# -ge 2 ] || fail "--version needs a version"; version=$2; shift 2 ;;
        *) fail "unknown option $1; known is --version" ;;
    esac
done
# The Pi's own libraries for the camera are built against the system's numpy.
case "$release" in
    12) number=3.11 next=3.12 glib=libglib2.0-0 limit="numpy<2" ;;
    13) number=3.13 next=3.14 glib=libglib2.0-0t64 limit="numpy<3" ;;
    *) fail "no release $release; known are 12 and 13" ;;
esac
case "$architecture" in
    amd64) machine=x86_64 more="Suggests: python3-gpiozero" ;;
    arm64) machine=aarch64
           more="Recommends: python3-picamera2, libcamera-ipa, python3-gpiozero, python3-lgpio" ;;
    *) fail "no architecture $architecture; known are amd64 and arm64" ;;
esac
command -v dpkg-deb >/dev/null || fail "no dpkg-deb here; install dpkg"
"$python" -m pip --version >/dev/null 2>&1 || fail "$python has no pip; set PYTHON=…"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/tree lib=$scratch/tree/opt/tilewatch/lib
mkdir -p "$root/DEBIAN" "$lib" dist

# 1. The program and the wheels that it needs, for the target.
"$python" -m pip wheel --quiet --no-deps --wheel-dir "$scratch" .
echo "$limit" >"$scratch/limit"
platforms=""
for glibc in 2_17 2_24 2_26 2_27 2_28 2_31 2_34 2_35 2_36; do
    platforms="$platforms --platform manylinux_${glibc}_$machine"
done
# shellcheck disable=SC2086 # a list of options
"$python" -m pip install --quiet --no-compile --target "$lib" --only-binary=:all: \
    --implementation cp --python-version "$number" $platforms --platform "manylinux2014_$machine" \
    --constraint "$scratch/limit" "$(echo "$scratch"/tilewatch-*.whl)[hub,stream]"
rm -rf "${lib:?}/bin"

# 2. The command, the service and the documentation.
mkdir -p "$root/usr/bin" "$root/usr/lib/systemd/system" "$root/usr/share/doc/tilewatch"
cat >"$root/usr/bin/tilewatch" <<'COMMAND'
#!/usr/bin/python3 -s
import sys

sys.path.insert(0, "/opt/tilewatch/lib")
from table.cli import main

sys.exit(main())
COMMAND
chmod 755 "$root/usr/bin/tilewatch"
# Without a table.toml there is nothing to start yet.
sed -e 's|/opt/tilewatch/venv/bin/tilewatch|/usr/bin/tilewatch|' \
    -e 's|/usr/local/share/doc|/usr/share/doc|' \
    -e '/^\[Unit\]/a ConditionPathExists=/etc/tilewatch/table.toml' \
    deploy/tilewatch.service >"$root/usr/lib/systemd/system/tilewatch.service"
cp deploy/README.md CHANGELOG.md "$root/usr/share/doc/tilewatch/"
cp LICENSE "$root/usr/share/doc/tilewatch/copyright"

# 3. The package.
for script in preinst postinst prerm postrm; do
    install -m 755 "deploy/deb/$script" "$root/DEBIAN/$script"
done
cat >"$root/DEBIAN/control" <<CONTROL
Package: tilewatch
Version: $version~deb$release
Architecture: $architecture
Maintainer: tilewatch <tilewatch@localhost>
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: python3 (>= $number), python3 (<< $next), libgl1, $glib, passwd, ca-certificates
$more
Section: games
Priority: optional
Description: camera above a real Scrabble board that keeps score by itself
 After each press of the clock it reads the new tiles, scores the turn under the
 event's rulebook and shows the game live. Its Python libraries are inside.
CONTROL
package=dist/tilewatch_$version~deb${release}_$architecture.deb
dpkg-deb --build --root-owner-group -Zzstd -z3 "$root" "$package" >/dev/null
echo "$package"
