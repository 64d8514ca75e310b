#!/usr/bin/env bash
# A root file system with Python and numpy, from Debian packages and one wheel: what the sandbox's
# image is built on where no registry can be reached.
#   .ci/mkroot.sh FOLDER
set -euo pipefail
root=$(readlink -m "$1")
packages=(
  base-files bash dash coreutils libacl1 libattr1 libselinux1 libpcre2-8-0 libgmp10
  libc6 libgcc-s1 libstdc++6 zlib1g libexpat1 libffi8 libbz2-1.0 liblzma5 libssl3 libcrypt1
  libsqlite3-0 libuuid1 libtinfo6 libncursesw6 libreadline8 libdb5.3
  python3-minimal python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib
)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}" 2>/dev/null)
mkdir -p "$root"
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$root"; done
rm -rf "$root"/usr/share/{doc,man,locale,lintian,info}
ln -sf dash "$root/bin/sh"
ln -sf python3.11 "$root/usr/bin/python"
mkdir -p "$root"/{tmp,proc,sys,dev,root,etc}
chmod 1777 "$root/tmp"
printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/sh\n' > "$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' > "$root/etc/group"
python3 -m pip install --quiet --no-deps --no-compile --only-binary=:all: --python-version 3.11 \
  --implementation cp --platform manylinux_2_17_x86_64 \
  --target "$root/usr/lib/python3/dist-packages" numpy==1.26.4 sortedcontainers==2.4.0
