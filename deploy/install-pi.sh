#!/bin/sh
# Makes a Raspberry Pi (Raspberry Pi OS 12 or 13) a tilewatch table that starts with the machine.
#   sudo sh deploy/install-pi.sh              install, or bring up to date
#   sudo sh deploy/install-pi.sh --webcam     a USB webcam instead of the Pi's camera; also plain Debian
#   sh deploy/install-pi.sh --dry-run         say what would be done, and do nothing
#   … --no-start                              do not start it
# Done again it changes only what is not so yet. It never touches /etc/tilewatch/table.toml or the
# data in /var/lib/tilewatch once they are there.
set -eu
cd "$(dirname "$0")/.."

dry="" webcam="" start=1
for option in "$@"; do
    case "$option" in
        --dry-run) dry=1 ;;
        --webcam) webcam=1 ;;
        --no-start) start="" ;;
        -h | --help) sed -n '2,8s/^# //p' deploy/install-pi.sh; exit 0 ;;
        *) echo "install-pi.sh: unknown option $option; known are --webcam, --no-start, --dry-run" >&2
           exit 2 ;;
    esac
done

prefix=/opt/tilewatch
python=$prefix/venv/bin/python
config=/etc/tilewatch/table.toml
unit=/etc/systemd/system/tilewatch.service

fail() { echo "install-pi.sh: $1" >&2; exit 2; }
say() { echo "install-pi.sh: $1"; }
# Runs a command, or says it.
do_() { if [ -n "$dry" ]; then echo "would: $*"; else "$@"; fi; }
# Puts a file in its place when it differs from what is there; 0 when it was put.
put() {
    if [ -f "$2" ] && cmp -s "$1" "$2"; then return 1; fi
    do_ install -D -m "$3" "$1" "$2"
}

command -v apt-get >/dev/null || fail "no apt-get here; this is for Raspberry Pi OS and Debian"
# shellcheck source=/dev/null
system=$(. /etc/os-release && echo "${VERSION_ID:-0}")
case "$system" in
    [0-9] | 1[01]) fail "this system is version $system; Raspberry Pi OS 12 (bookworm) or newer is needed" ;;
esac
# DEVICE_MODEL names another file, for a dry run elsewhere.
model=$({ tr -d '\000' <"${DEVICE_MODEL:-/proc/device-tree/model}"; } 2>/dev/null || true)
case "$model" in
    *"Raspberry Pi"*) say "on a $model" ;;
    *) [ -n "$webcam" ] ||
           fail "this is no Raspberry Pi; with --webcam a USB webcam serves, on any Debian" ;;
esac
[ "$(getconf LONG_BIT)" = 64 ] ||
    fail "this system has 32 bits, for which onnxruntime has no wheels; install the 64-bit one"
[ "$(id -u)" = 0 ] || [ -n "$dry" ] || fail "run it as root: sudo sh deploy/install-pi.sh"

# 1. What comes from the system. picamera2 and lgpio have no wheels that fit libcamera and the kernel.
packages="python3-venv libgl1 libglib2.0-0"
[ "${system%%.*}" -lt 13 ] || packages="python3-venv libgl1 libglib2.0-0t64"
# Debian's libcamera only suggests libcamera-ipa, without which it finds no camera of a Pi.
[ -n "$webcam" ] || packages="$packages python3-picamera2 libcamera-ipa"
case "$model" in *"Raspberry Pi"*) packages="$packages python3-gpiozero python3-lgpio" ;; esac
missing=""
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
    say "from apt:$missing"
    export DEBIAN_FRONTEND=noninteractive
    do_ apt-get update -qq
    # shellcheck disable=SC2086 # a list of names
    do_ apt-get install -y -qq --no-install-recommends $missing
fi

# 2. A user of its own, in the groups that own camera and pins.
for group in video gpio; do
    getent group "$group" >/dev/null || do_ groupadd --system "$group"
done
getent passwd tilewatch >/dev/null ||
    do_ useradd --system --user-group --no-create-home --home-dir /var/lib/tilewatch \
        --shell /usr/sbin/nologin tilewatch
for group in video gpio; do
    id -nG tilewatch 2>/dev/null | tr ' ' '\n' | grep -qx "$group" || do_ usermod -aG "$group" tilewatch
done
for node in /dev/gpiochip0 /dev/dma_heap/linux,cma; do
    if [ -e "$node" ] && [ "$(stat -c %G "$node")" = root ]; then
        if put deploy/60-tilewatch.rules /etc/udev/rules.d/60-tilewatch.rules 644; then
            do_ udevadm control --reload
            do_ udevadm trigger --subsystem-match=gpio --subsystem-match=dma_heap
        fi
    fi
done

# 3. The program. The environment sees the system's packages, for picamera2 and lgpio.
[ -x "$python" ] || do_ /usr/bin/python3 -m venv --system-site-packages "$prefix/venv"
# What apt's picamera2 was built with (simplejpeg) breaks under a numpy of the next generation.
limit=$(mktemp)
trap 'rm -f "$limit"' EXIT
/usr/bin/python3 - <<'PYTHON' >"$limit" || true
try:
    import numpy
    print(f"numpy<{int(numpy.__version__.split('.')[0]) + 1}")
except ImportError:
    pass
PYTHON
say "installing tilewatch into $prefix/venv $(cat "$limit")"
do_ "$python" -m pip install --quiet --upgrade --no-warn-script-location --constraint "$limit" ".[hub]"
do_ ln -sfn "$prefix/venv/bin/tilewatch" /usr/local/bin/tilewatch
put deploy/README.md /usr/local/share/doc/tilewatch/README.md 644 || true
needed="cv2, onnxruntime, flask, uvicorn, cryptography, paho.mqtt.client"
case "$model" in *"Raspberry Pi"*) needed="$needed, gpiozero, lgpio" ;; esac
[ -n "$webcam" ] || needed="$needed, picamera2"
do_ "$python" -c "import $needed" || fail "what was installed cannot be loaded; see the lines above"

# 4. The table's configuration and its service.
if [ ! -f "$config" ]; then
    put deploy/table.toml "$config" 644
    [ -z "$webcam" ] || do_ sed -i 's/^kind = "pi" .*/kind = "webcam"/; s/^kind = "gpio" .*/kind = "web"/; /^left = \|^right = \|^neutral = /d' "$config"
fi
changed=""
if put deploy/tilewatch.service "$unit" 644; then changed=1; fi
command -v systemctl >/dev/null || fail "no systemd here, so nothing starts it with the machine"
do_ systemctl enable --quiet tilewatch.service
if [ ! -d /run/systemd/system ]; then
    say "systemd does not run here; the table starts with the machine"
elif [ -z "$start" ]; then
    [ -z "$changed" ] || do_ systemctl daemon-reload
    say "start it with: sudo systemctl start tilewatch"
else
    [ -z "$changed" ] || do_ systemctl daemon-reload
    if systemctl is-active --quiet tilewatch.service; then
        # Not in the middle of somebody's game.
        say "a table is at work; restart it between two games: sudo systemctl restart tilewatch"
    else
        do_ systemctl start tilewatch.service
    fi
fi
say "done; look at it with: sudo -Hu tilewatch sh -c 'cd && tilewatch doctor --config $config'"
