#!/bin/sh
# Makes a Debian machine (12 or 13) the hub of a hall of tilewatch tables, with its broker.
#   sudo sh deploy/hub/install.sh             install, or bring up to date
#   sh deploy/hub/install.sh --dry-run        say what would be done, and do nothing
#   … --no-start                              do not start it
# Done again it changes only what is not so yet. It never touches /etc/tilewatch/hub.toml or the
# data in /var/lib/tilewatch-hub once they are there.
set -eu
cd "$(dirname "$0")/../.."

dry="" start=1
for option in "$@"; do
    case "$option" in
        --dry-run) dry=1 ;;
        --no-start) start="" ;;
        -h | --help) sed -n '2,7s/^# //p' deploy/hub/install.sh; exit 0 ;;
        *) echo "install.sh: unknown option $option; known are --no-start, --dry-run" >&2; exit 2 ;;
    esac
done

prefix=/opt/tilewatch
python=$prefix/venv/bin/python
config=/etc/tilewatch/hub.toml
unit=/etc/systemd/system/tilewatch-hub.service

fail() { echo "install.sh: $1" >&2; exit 2; }
say() { echo "install.sh: $1"; }
# Runs a command, or says it.
do_() { if [ -n "$dry" ]; then echo "would: $*"; else "$@"; fi; }
# Puts a file in its place when it differs from what is there; 0 when it was put.
put() {
    if [ -f "$2" ] && cmp -s "$1" "$2"; then return 1; fi
    do_ install -D -m "$3" "$1" "$2"
}

command -v apt-get >/dev/null || fail "no apt-get here; this is for Debian"
[ "$(id -u)" = 0 ] || [ -n "$dry" ] || fail "run it as root: sudo sh deploy/hub/install.sh"

# 1. What comes from Debian: the broker, and what Python's OpenCV draws on.
# shellcheck source=/dev/null
system=$(. /etc/os-release && echo "${VERSION_ID:-0}")
packages="mosquitto python3-venv libgl1 libglib2.0-0"
[ "${system%%.*}" -lt 13 ] || packages="mosquitto python3-venv libgl1 libglib2.0-0t64"
missing="" fresh_broker=""
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
case "$missing" in *mosquitto*) fresh_broker=1 ;; esac
if [ -n "$missing" ]; then
    say "from apt:$missing"
    export DEBIAN_FRONTEND=noninteractive
    do_ apt-get update -qq
    # shellcheck disable=SC2086 # a list of names
    do_ apt-get install -y -qq --no-install-recommends $missing
fi
# The hub runs a mosquitto of its own. Debian's service is stopped only where it came with this.
if [ -n "$fresh_broker" ] && command -v systemctl >/dev/null; then
    do_ systemctl disable --quiet --now mosquitto.service || true
fi

# 2. A user of its own.
getent passwd tilewatch-hub >/dev/null ||
    do_ useradd --system --user-group --no-create-home --home-dir /var/lib/tilewatch-hub \
        --shell /usr/sbin/nologin tilewatch-hub

# 3. The program.
[ -x "$python" ] || do_ /usr/bin/python3 -m venv "$prefix/venv"
say "installing tilewatch into $prefix/venv"
do_ "$python" -m pip install --quiet --upgrade --no-warn-script-location '.[hub]'
do_ ln -sfn "$prefix/venv/bin/tilewatch" /usr/local/bin/tilewatch
put deploy/hub/README.md /usr/local/share/doc/tilewatch/HUB.md 644 || true
do_ "$python" -c "import paho.mqtt.client, segno, spake2, flask, uvicorn, cryptography" ||
    fail "what was installed cannot be loaded; see the lines above"

# 4. The hub's configuration and its service.
[ -f "$config" ] || put deploy/hub/hub.toml "$config" 644
changed=""
if put deploy/hub/tilewatch-hub.service "$unit" 644; then changed=1; fi
command -v systemctl >/dev/null || fail "no systemd here, so nothing starts it with the machine"
do_ systemctl enable --quiet tilewatch-hub.service
if [ ! -d /run/systemd/system ]; then
    say "systemd does not run here; the hub starts with the machine"
else
    [ -z "$changed" ] || do_ systemctl daemon-reload
    if [ -z "$start" ]; then
        say "start it with: sudo systemctl start tilewatch-hub"
    elif systemctl is-active --quiet tilewatch-hub.service; then
        say "a hub is at work; when it suits: sudo systemctl restart tilewatch-hub"
    else
        do_ systemctl start tilewatch-hub.service
    fi
fi
say "done; make the director's account with:"
say "  sudo -u tilewatch-hub tilewatch accounts add NAME --data /var/lib/tilewatch-hub"
say "and let tables in on the director's page, or with:"
say "  sudo -u tilewatch-hub tilewatch enrol table-1 --data /var/lib/tilewatch-hub"
