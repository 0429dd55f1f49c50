#!/bin/sh
# Creates the certificates of the receivers in tests: an authority that only tests trust, and the certificates that it
# signed. Run it in this folder.
set -eu
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj "/CN=Daybook tests" \
        -keyout authority.key -out authority.pem -addext basicConstraints=critical,CA:true
}
# Creates a certificate for the names $2, signed by the authority, in files that begin with $1.
certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$1.key" -out "$1.csr"
    printf 'subjectAltName=%s\nbasicConstraints=CA:false\n' "$2" > "$1.ext"
    openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -days 36500 -extfile "$1.ext" -out "$1.pem"
    openssl x509 -in "$1.pem" -outform der -out "$1.der"
    openssl pkcs8 -topk8 -nocrypt -in "$1.key" -outform der -out "$1.key.der"
}
authority
openssl x509 -in authority.pem -outform der -out authority.der
certificate receiver DNS:receiver.example,IP:127.0.0.1
certificate other DNS:other.example
rm -f ./*.key ./*.pem ./*.csr ./*.ext ./*.srl
