#!/bin/sh
# Tries tilewatch's camera and pin drivers with the real picamera2, libcamera, gpiozero and lgpio, on a
# machine without any camera or pin: in a root of Debian 13.
#   sudo sh deploy/try-libcamera.sh                 all of it, in a scratch folder
#   sudo sh deploy/try-libcamera.sh --keep DIR      leave the root in DIR; the next try uses it again
# It builds libcamera from Debian's source, with its virtual camera, its Python bindings and nothing
# else, and takes the others from PyPI. The virtual camera shows a drawn board. What it cannot show:
# a sensor, the Pi's image processor, exposure, focus, and edges at a pin. Exit status 0: all that
# could be tried was right; 1: something was not; 3: nothing could be tried.
set -eu
cd "$(dirname "$0")/.."
. deploy/roots.sh
own_namespaces "$@"

keep=""
while [ $# -gt 0 ]; do
    case "$1" in
        --keep) [ $# -ge 2 ] || usage "$1 needs a folder"
                keep=$2; shift 2 ;;
        *) usage "unknown option $1; known is --keep" ;;
    esac
done
require_debootstrap
make_scratch "$keep"
root=$scratch/root
# Runs a command in the root.
in_root() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} "$@"
}

# 1. A root with what builds libcamera and picamera2.
say "Debian 13 from $mirror"
make_root trixie "$root" --include=ca-certificates,python3,python3-venv,python3-dev,g++,meson,ninja-build,\
pkg-config,dpkg-dev,patch,python3-pybind11,pybind11-dev,python3-yaml,python3-jinja2,python3-ply,libyaml-dev,\
libssl-dev,openssl,libyuv-dev,libjpeg-dev,libcap-dev,libudev-dev,swig,libgl1,libglib2.0-0t64 ||
    skip "debootstrap failed: $(tail -1 "$scratch/log")"
mount -t proc proc "$root/proc" 2>/dev/null || say "without /proc: it cannot be mounted here"
mount --bind /dev "$root/dev" 2>/dev/null || say "without this machine's /dev: it cannot be mounted here"
connect_root "$root"
in_root update-ca-certificates >/dev/null 2>&1 || true

# 2. libcamera. Debian 13's own source first; a mirror may have dropped it for that of a later Debian,
# and be behind, which matters to no one here.
if [ ! -e "$root/usr/local/share/libcamera-built" ]; then
    for suite in trixie trixie-backports sid; do
        echo "deb-src $mirror $suite main" >"$root/etc/apt/sources.list.d/source.list"
        rm -rf --one-file-system "$root/build" && mkdir "$root/build" && chmod 777 "$root/build"
        in_root sh -c 'apt-get -o Acquire::Check-Valid-Until=false update -qq && cd /build && apt-get source -qq libcamera' >"$scratch/log" 2>&1 && break
    done
    rm "$root/etc/apt/sources.list.d/source.list"
    source=$(cd "$root/build" && ls -d libcamera-*/) || skip "no source of libcamera: $(tail -1 "$scratch/log")"
    say "libcamera ${source%/}, of $suite"
    # picamera2 asks for pictures in blue, green and red, and opens no camera without a raw stream:
    # the virtual camera has neither.
    patch -s -d "$root/build/$source" -p1 <deploy/libcamera/virtual-rgb888.patch || skip "the patch does not fit $source"
    in_root sh -c "cd /build/$source && meson setup -Dpipelines=virtual -Dipas= -Dpycamera=enabled -Dcam=disabled \
        -Dgstreamer=disabled -Dqcam=disabled -Dlc-compliance=disabled -Ddocumentation=disabled -Dv4l2=disabled \
        -Dtracing=disabled -Dlibdw=disabled -Dlibunwind=disabled -Dbuildtype=plain -Dwerror=false out &&
        ninja -C out install && ldconfig" >"$scratch/log" 2>&1 || { tail -30 "$scratch/log"; skip "libcamera cannot be built"; }
    touch "$root/usr/local/share/libcamera-built"
fi

# 3. tilewatch and the libraries from PyPI. PYPI=1: lgpio with liblgpio inside, which Debian has not.
rm -rf --one-file-system "$root/src" && mkdir "$root/src"
git ls-files -z | xargs -0 cp --parents -t "$root/src"
if [ ! -x "$root/venv/bin/python" ]; then
    in_root python3 -m venv /venv
    # The bindings of libcamera are where Debian's Python looks for what was built here.
    in_root sh -c 'find /usr/local/lib -name libcamera -path "*-packages/*" -printf "%h\n" \
        >"$(echo /venv/lib/python3*/site-packages)/libcamera.pth"'
    check "picamera2, gpiozero and lgpio from PyPI" \
        in_root env PYPI=1 /venv/bin/pip install --quiet picamera2 gpiozero lgpio \
        pytest pytest-timeout pytest-xdist hypothesis
    # For previews on a screen, which nobody asks for, it imports pykms, which Debian has not.
    in_root sh -c 'cat >"$(echo /venv/lib/python3*/site-packages)/pykms.py"' <<'PYKMS'
class _Names(type):
    def __getattr__(cls, name):
        return name


class PixelFormat(metaclass=_Names):
    """The formats of a screen, none of which is used."""
PYKMS
fi
check "tilewatch is installed beside them" in_root /venv/bin/pip install --quiet -e /src
in_root /venv/bin/python -c 'import importlib.metadata as m
print("try-libcamera.sh: with", *(f"{name} {m.version(name)}" for name in ("picamera2", "gpiozero", "lgpio", "numpy")))'

# 4. The virtual camera shows a board, as the demo draws it. Without DMA heaps its pictures are kept
# in plain memory: no device shares them.
mkdir -p "$root/usr/local/share/libcamera/pipeline/virtual" "$root/board"
check "a board is drawn" in_root sh -c 'cd /src && /venv/bin/python deploy/libcamera/draw_board.py /board'
cp deploy/libcamera/virtual.yaml "$root/usr/local/share/libcamera/pipeline/virtual/virtual.yaml"
preload=""
if [ ! -e /dev/dma_heap ]; then
    in_root cc -shared -fPIC -o /dma_heap.so /src/deploy/libcamera/dma_heap.c
    preload=LD_PRELOAD=/dma_heap.so
    say "no DMA heap here: its pictures are in plain memory"
fi

# 5. The drivers. Tests that ask for no camera, pin or library are told from the others by the suite.
tests() {
    what=$1
    shift
    check "$what" in_root ${preload:+"$preload"} sh -c 'cd /src && /venv/bin/python -m pytest -q -rs \
        -p no:cacheprovider "$@"' sh "$@"
    sed -n 's/^.* passed.*$/    &/p; s/^SKIPPED.*$/    &/p' "$scratch/output"
}
tests "tests: what the driver relies on is so of picamera2 and of its stand-in" tests/sensors/test_picamera2.py
check "the board is read in the virtual camera's pictures" \
    in_root ${preload:+"$preload"} sh -c 'cd /src && /venv/bin/python deploy/libcamera/read_board.py'
grep -h 'squares wrong$' "$scratch/output" | sed 's/^/    /'
tests "tests: the buttons through lgpio, over a pretended kernel" tests/sensors/test_lgpio.py tests/sensors/test_gpio.py
exit "$wrong"
