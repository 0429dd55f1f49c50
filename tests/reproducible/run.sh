#!/usr/bin/env bash
# Builds a binary twice, from copies of the last commit in two folders, and checks that both have the same bytes.
# Usage: run.sh [PACKAGE [BINARY [PROFILE]]]. The default is the release of the service.
set -euo pipefail
cd "$(dirname "$0")/../.."

package=${1:-daybook-cli} binary=${2:-daybook} profile=${3:-dist}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A build may record its time and folder; neither may be in the binary.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH CARGO_INCREMENTAL=0
home=${CARGO_HOME:-$HOME/.cargo}

for copy in one another/place; do
    mkdir -p "$folder/$copy"
    git archive HEAD | tar -x -C "$folder/$copy"
    flags="\"--remap-path-prefix=$folder/$copy=/daybook\", \"--remap-path-prefix=$home=/cargo\""
    # The same path mapping for libraries in C.
    CFLAGS="-ffile-prefix-map=$folder/$copy=/daybook -ffile-prefix-map=$home=/cargo" \
        cargo build --quiet --locked --manifest-path "$folder/$copy/Cargo.toml" --target-dir "$folder/$copy/target" \
        --config "build.rustflags=[$flags]" --profile "$profile" --package "$package" --bin "$binary"
done

built=$profile
[[ $profile == dev ]] && built=debug
one="$folder/one/target/$built/$binary" another="$folder/another/place/target/$built/$binary"
sha256sum "$one" "$another" | sed "s#$folder/##"
if grep -a -q "$folder" "$one"; then
    echo 'the binary names the folder in which it was built' >&2
    exit 1
fi
cmp "$one" "$another" && echo "reproducible: $binary, $profile"
