# shellcheck shell=sh
# Sourced by test-deb and test-fresh: a minimal Debian 12 in a folder of its own, removed at the end. Mirrors,
# proxies and names come from this machine: what its apt, its resolver and its environment say.

[ "$(id -u)" -eq 0 ] || { say 'only root can make a system to try it in'; exit 1; }
scripts/bootstrap clean

suite=bookworm
system=$(mktemp -d)
chmod 755 "$system"
log=$system.log
trap 'rm -rf --one-file-system "$system" "$log"' EXIT
trap 'exit 130' INT TERM

# Lines of "URI release component" of Debian itself, from whatever form apt's sources have here.
mirrors() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
    awk '$4 == "Debian" { print $1, $2, $3 }' | sort -u
}

# step WHAT COMMAND...: says how long it took, and what it said only if it failed
step() {
  what=$1 start=$(date +%s)
  shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    say "failed: $what"
    exit 1
  fi
  say "$what: $(($(date +%s) - start)) s"
}

make_system() {
  mirror=$(mirrors | awk -v suite="$suite" '$2 == suite { print $1; exit }')
  [ -n "$mirror" ] || { say "apt knows no mirror of Debian $suite here"; return 1; }
  debootstrap --variant=minbase "$suite" "$system" "$mirror" || return 1
  mirrors | sed 's/^/deb /' >"$system/etc/apt/sources.list"
  apt-config dump | grep -i '^Acquire::.*::Proxy' >"$system/etc/apt/apt.conf.d/proxy" || true
  cp -L /etc/resolv.conf "$system/etc/resolv.conf"
  if [ -n "${NODE_EXTRA_CA_CERTS-}" ]; then cp -L "$NODE_EXTRA_CA_CERTS" "$system/etc/authorities.pem"; fi
}

# inside COMMAND...: in the new system, with nothing of this environment but proxies and npm's settings
inside() {
  env | sed -n 's/^\([A-Za-z_]*_proxy\|[A-Z]*_PROXY\|npm_config_[a-z_]*\)=.*/\1/p' >"$system/tmp/names"
  keep=''
  while read -r name; do
    keep="$keep $name=$(printenv "$name")"
  done <"$system/tmp/names"
  rm "$system/tmp/names"
  [ ! -f "$system/etc/authorities.pem" ] || keep="$keep NODE_EXTRA_CA_CERTS=/etc/authorities.pem"
  # /proc is mounted for this one command: nobody else sees it, and nothing needs to be unmounted.
  # shellcheck disable=SC2016,SC2086
  env -i HOME=/root LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive $keep \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    unshare --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' sh "$system" "$@"
}

apt_inside() { inside apt-get -qq -o Dpkg::Use-Pty=0 "$@"; }
