# Shared by the scripts that try tilewatch in a root of Debian (try-*.sh), which source it from the
# repository's top with set -eu.
# shellcheck shell=sh disable=SC2034 # wrong: the scripts exit with it

say() { echo "${0##*/}: $1"; }
skip() { say "skipped: $1"; exit 3; }
usage() { echo "${0##*/}: $1" >&2; exit 2; }
wrong=0
# Says whether something is so: a description, then a command.
check() {
    what=$1
    shift
    if "$@" >"$scratch/output" 2>&1; then say "ok  $what"; else
        say "NO  $what"
        tail -40 "$scratch/output" | sed 's/^/    /'
        wrong=1
    fi
}

# Runs the script again in namespaces of its own, with its arguments: whatever it mounts or starts ends
# with it. Where there are none to be had it goes on without.
own_namespaces() {
    [ -z "${OWN_NAMESPACES:-}" ] || { trap 'exit 130' INT TERM; return 0; }
    unshare --mount --pid --fork --mount-proc true 2>/dev/null || return 0
    OWN_NAMESPACES=1 exec unshare --mount --pid --fork --kill-child --mount-proc sh "deploy/${0##*/}" "$@"
}

# Requires what makes roots, and sets mirror and http_proxy to those that apt uses here.
require_debootstrap() {
    [ "$(id -u)" = 0 ] || skip "a root can only be made as root (sudo)"
    command -v debootstrap >/dev/null || skip "no debootstrap here; sudo apt install debootstrap"
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' |
        grep -v security | grep '/debian/*$' | head -1)
    [ -n "$mirror" ] || skip "apt knows no Debian mirror here"
    proxy=$(apt-config shell P Acquire::http::Proxy | sed "s/^P='\(.*\)'$/\1/")
    [ -z "$proxy" ] || export http_proxy="$proxy"
}

# Sets scratch to a folder: that of --keep, which stays, or one that goes with the script.
make_scratch() {
    keep=$1
    if [ -n "$keep" ]; then
        mkdir -p "$keep"
        scratch=$(cd "$keep" && pwd)
    else
        scratch=$(mktemp -d)
    fi
    trap clean_up EXIT
}
# Unmounts all that is mounted in a folder.
unmount_in() {
    awk -v folder="$1/" 'index($5, folder) == 1 { print $5 }' /proc/self/mountinfo | sort -r |
        while read -r place; do umount "$place" || true; done
}
clean_up() {
    unmount_in "$scratch"
    [ -n "$keep" ] || rm -rf --one-file-system "$scratch"
}

suite_of() {
    case "$1" in 12) echo bookworm ;; 13) echo trixie ;; *) usage "no release $1; known are 12 and 13" ;; esac
}

# Makes a root of a suite in a folder, unless it is there whole: suite, folder, debootstrap's options.
# False if it cannot be made; the reason is in the scratch folder's log.
make_root() {
    suite=$1 folder=$2
    shift 2
    [ ! -e "$folder/complete" ] || return 0
    rm -rf --one-file-system "$folder"
    debootstrap --variant=minbase "$@" "$suite" "$folder" "$mirror" >"$scratch/log" 2>&1 || return 1
    touch "$folder/complete"
}

# Lets the programs of a root use the network as this machine's do: names, apt's proxy, pip's settings,
# and the authorities that are trusted here besides Debian's (a proxy's, say). The root's update-ca-certificates
# is still to be run, and mounts are to be undone.
connect_root() {
    cp /etc/resolv.conf /etc/hosts "$1/etc/"
    [ -z "$proxy" ] || echo "Acquire::http::Proxy \"$proxy\";" >"$1/etc/apt/apt.conf.d/proxy"
    mkdir -p "$1/usr/local/share/ca-certificates"
    cp -r /usr/local/share/ca-certificates/. "$1/usr/local/share/ca-certificates/" 2>/dev/null || true
    pip_settings >"$1/etc/pip.conf"
    # What they name on this machine: lists of versions, folders of wheels, indexes with files beside them.
    tr ' ' '\n' <"$1/etc/pip.conf" | sed -n 's/^\(file:\/\/\)\{0,1\}\(\/.*\)$/\2/p' | while read -r path; do
        path=${path%/simple}
        if [ -f "$path" ] && [ ! -e "$1$path" ]; then
            mkdir -p "$1$(dirname "$path")" && cp "$path" "$1$path"
        elif [ -d "$path" ] && [ ! -e "$1$path" ]; then
            mkdir -p "$1$path"
            mount --bind -o ro "$path" "$1$path" || say "without $path: it cannot be mounted here"
        fi
    done
}

# Prints all of this machine's settings of pip, those of the environment first, as one pip.conf.
pip_settings() {
    { python3 -m pip config list 2>/dev/null || true; } | awk '{
        name = value = $0
        sub(/=.*/, "", name); sub(/[^=]*=/, "", value)
        sub(/^:env:/, "global", name); gsub(/^.|.$/, "", value); gsub(/\\n/, " ", value)
        section = key = name
        sub(/\..*/, "", section); sub(/[^.]*\./, "", key)
        if (!seen[section, key]++) lines[section] = lines[section] key " = " value "\n"
    } END { for (section in lines) printf "[%s]\n%s", section, lines[section] }'
}
