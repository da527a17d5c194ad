#!/bin/sh
# Installs tilewatch into ./.venv on Debian or Raspberry Pi OS, and what it needs from the system.
#   sh install.sh           to run it
#   sh install.sh --hub     to be a hub, or a table of one, as well
#   sh install.sh --publish to publish a hub's site to a store or over SFTP as well
#   sh install.sh --stream  to use network cameras as well
#   sh install.sh --obs     to switch the scenes of OBS Studio as well
#   sh install.sh --dev     to run its tests as well
#   sh install.sh --train   to train its weights as well (pulls torch: gigabytes)
set -eu
cd "$(dirname "$0")"

extras=""
for option in "$@"; do
    case "$option" in
        --hub | --publish | --stream | --obs | --dev | --train) extras="$extras${extras:+,}${option#--}" ;;
        *) echo "install.sh: unknown option $option; use --hub, --publish, --stream, --obs, --dev, --train or nothing" >&2; exit 2 ;;
    esac
done

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
    echo "install.sh: Python 3.11 or newer is needed as $python; install it or set PYTHON=…" >&2
    exit 2
}

# OpenCV's wheel draws on libGL and GLib; Debian splits venv off Python.
wanted=""
"$python" -c 'import ensurepip, venv' 2>/dev/null || wanted="$wanted python3-venv"
libraries=$(ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null || true)
case "$libraries" in *libGL.so.1*) ;; *) wanted="$wanted libgl1" ;; esac
case "$libraries" in *libgthread-2.0.so.0*) ;; *) wanted="$wanted libglib2.0-0" ;; esac
pi=""
if grep -qs 'Raspberry Pi' /proc/device-tree/model; then
    pi=1
    # Not from PyPI: picamera2 has to fit the system's libcamera, lgpio has no wheel for every Python.
    "$python" -c 'import picamera2' 2>/dev/null || wanted="$wanted python3-picamera2 libcamera-ipa"
    "$python" -c 'import gpiozero, lgpio' 2>/dev/null || wanted="$wanted python3-gpiozero python3-lgpio"
fi
case "$extras" in *dev*)
    # The page tests drive a real browser; they are skipped, and say so, where it can't be had.
    command -v chromium >/dev/null && command -v chromedriver >/dev/null ||
        browser="chromium chromium-driver"
    command -v pdftoppm >/dev/null || browser="${browser:-} poppler-utils" # how full printed pages are
    # So do the hub's tests a real broker.
    command -v mosquitto >/dev/null || [ -x /usr/sbin/mosquitto ] || broker="mosquitto"
    # What formats and checks the pages' scripts; their check is skipped, and says so, without npm.
    ! command -v npm >/dev/null || npm install --silent --no-audit --no-fund >/dev/null ||
        echo "install.sh: npm could not install Biome; the scripts of the pages will not be checked" >&2 ;;
esac

as_root() {
    if [ "$(id -u)" = 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"; else sudo env DEBIAN_FRONTEND=noninteractive "$@"; fi
}
# shellcheck disable=SC2086 # lists of names
if [ -n "$wanted${browser:-}${broker:-}" ]; then
    if ! command -v apt-get >/dev/null; then
        echo "install.sh: no apt-get here; install what these Debian packages hold:$wanted ${browser:-} ${broker:-}" >&2
        [ -z "$wanted" ] || exit 2
    else
        echo "install.sh: installing from Debian:$wanted ${browser:-} ${broker:-}"
        as_root apt-get update -qq
        [ -z "$wanted" ] || as_root apt-get install -y -qq --no-install-recommends $wanted >/dev/null
        [ -z "${browser:-}" ] || as_root apt-get install -y -qq --no-install-recommends $browser >/dev/null ||
            echo "install.sh: no browser could be installed; the page tests will be skipped" >&2
        [ -z "${broker:-}" ] || as_root apt-get install -y -qq --no-install-recommends $broker >/dev/null ||
            echo "install.sh: no broker could be installed; the hub's tests will be skipped" >&2
    fi
fi

# libcamera comes from the Pi's own packages, so the environment has to see them there.
[ -x .venv/bin/python ] || "$python" -m venv ${pi:+--system-site-packages} .venv
.venv/bin/python -m pip install --quiet --upgrade pip
# apt's picamera2 was built with the system's numpy, and breaks under one of the next generation.
limit=$(mktemp)
trap 'rm -f "$limit"' EXIT
[ -z "$pi" ] || "$python" -c 'import numpy; print("numpy<%d" % (int(numpy.__version__.split(".")[0]) + 1))' >"$limit"
.venv/bin/python -m pip install --quiet --constraint "$limit" --editable ".[table${extras:+,$extras}]"
echo "install.sh: done; .venv/bin/tilewatch --help"
