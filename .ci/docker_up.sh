#!/usr/bin/env bash
# Start a Docker engine where none runs (Debian 12, as root), and build the sandbox's image in it.
# Prints the variables to export, or one line on stderr that says why it can't, with exit code 1.
#   eval "$(.ci/docker_up.sh FOLDER)"      stop it: kill "$(cat FOLDER/run/dockerd.pid)"
#
# Debian 12's own engine (20.10) is too old for Inspect. Engine, containerd, compose and the command
# line come from Debian 13, unpacked into FOLDER (they need glibc 2.34 only); runc and tini come
# from Debian 12, since Debian 13's runc needs a newer glibc.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
up=$(readlink -m "$1")
say() { echo "docker_up: $*" >&2; exit 1; }
log="$up/up.log"
mkdir -p "$up"/{lists/partial,cache/archives/partial,debs,root,run,cfg/cli-plugins}

unpack_engine() {
  apt-get install -y -qq --no-install-recommends runc tini
  awk 'BEGIN{RS=""} NR==1' /etc/apt/sources.list.d/debian.sources |
    sed 's/^Suites:.*/Suites: trixie/' > "$up/trixie.sources"
  local apt=(apt-get -qq -o APT::Sandbox::User=root -o "Dir::Etc::sourcelist=$up/trixie.sources"
    -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$up/lists" -o "Dir::Cache=$up/cache")
  "${apt[@]}" update
  (cd "$up/debs" && "${apt[@]}" download docker.io containerd docker-compose docker-cli)
  for package in "$up"/debs/*.deb; do dpkg-deb -x "$package" "$up/root"; done
  ln -sf /usr/bin/tini-static "$up/root/usr/bin/docker-init"
  cp "$up/root/usr/libexec/docker/cli-plugins/docker-compose" "$up/cfg/cli-plugins/"
}

start_engine() {
  echo '{}' > "$up/daemon.json"
  setsid dockerd --config-file "$up/daemon.json" --bridge=none --iptables=false --ip6tables=false \
    --ip-forward=false --ip-masq=false -H "$DOCKER_HOST" --data-root "$up/data" \
    --exec-root "$up/run/exec" --pidfile "$up/run/dockerd.pid" --log-level warn \
    > "$up/dockerd.log" 2>&1 < /dev/null &
  for _ in $(seq 300); do docker version > /dev/null 2>&1 && return; sleep 0.1; done
  tail -3 "$up/dockerd.log" >&2
  return 1
}

build_image() {
  "$here/mkroot.sh" "$up/rootfs"
  tar -C "$up/rootfs" -c . | docker import - sandbox-base
  docker build --network=none --build-arg BASE=sandbox-base --build-arg PACKAGES= \
    -t conductor-sandbox "$here/../sandboxes/image"
}

[ "$(id -u)" = 0 ] || say "needs root"
[ -f /etc/apt/sources.list.d/debian.sources ] || say "needs Debian 12"
export PATH="$up/root/usr/sbin:$up/root/usr/bin:$PATH"
export DOCKER_HOST="unix://$up/run/docker.sock" DOCKER_CONFIG="$up/cfg"
[ -x "$up/root/usr/sbin/dockerd" ] || unpack_engine > "$log" 2>&1 || say "no engine: $(tail -1 "$log")"
docker version > /dev/null 2>&1 || start_engine >> "$log" 2>&1 || say "the engine does not start: $(tail -1 "$log")"
docker image inspect conductor-sandbox > /dev/null 2>&1 || build_image >> "$log" 2>&1 ||
  say "no image: $(tail -1 "$log")"
echo "export DOCKER_HOST=$DOCKER_HOST DOCKER_CONFIG=$DOCKER_CONFIG PATH=$up/root/usr/bin:\$PATH"
