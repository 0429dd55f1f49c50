"""Writes a binary's bill of materials as CycloneDX 1.5, from `cargo metadata` alone: sbom.py [PACKAGE] > sbom.json"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def said(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def metadata():
    """Returns cargo's metadata of the packages for this platform."""
    host = re.search(r"host: (\S+)", said("rustc", "-vV"))[1]
    return json.loads(said("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", host))


def checksums():
    """Returns the SHA-256 of each package's archive, by name and version."""
    lock = (ROOT / "Cargo.lock").read_text()
    entry = re.compile(r'name = "(.*?)"\nversion = "(.*?)"\nsource = ".*?"\nchecksum = "(.*?)"')
    return {(name, version): checksum for name, version, checksum in entry.findall(lock)}


def reached(nodes, start):
    """Returns the dependencies of `start`, direct and indirect, including build dependencies but not those of tests."""
    found, open_ids = {}, [start]
    while open_ids:
        package_id = open_ids.pop()
        if package_id not in found:
            is_built = lambda dep: any(kind["kind"] != "dev" for kind in dep["dep_kinds"])
            found[package_id] = [dep["pkg"] for dep in nodes[package_id]["deps"] if is_built(dep)]
            open_ids.extend(found[package_id])
    return found


def purl(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, sums):
    made = {"type": "library", "bom-ref": purl(package), "name": package["name"], "version": package["version"]}
    made["purl"] = purl(package)
    if package.get("license"):
        # The registry allows a slash for "or", which is not valid in SPDX.
        made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum := sums.get((package["name"], package["version"])):
        made["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return made


def sbom(name):
    data, sums = metadata(), checksums()
    packages = {package["id"]: package for package in data["packages"]}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    start = next(package["id"] for package in data["packages"] if package["name"] == name)
    found = reached(nodes, start)
    root = component(packages[start], sums) | {"type": "application"}
    others = sorted((packages[package_id] for package_id in found if package_id != start), key=purl)
    depends = [
        {"ref": purl(packages[package_id]), "dependsOn": sorted({purl(packages[dep]) for dep in deps})}
        for package_id, deps in found.items()
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": root},
        "components": [component(package, sums) for package in others],
        "dependencies": sorted(depends, key=lambda it: it["ref"]),
    }


def check(bom):
    """Checks that references name components, that components are unique, and that those of a registry have a hash."""
    refs = [bom["metadata"]["component"]["bom-ref"], *(it["bom-ref"] for it in bom["components"])]
    assert len(refs) == len(set(refs)), "a component is there twice"
    named = {ref for it in bom["dependencies"] for ref in [it["ref"], *it["dependsOn"]]}
    assert named == set(refs), named ^ set(refs)
    bare = [it["name"] for it in bom["components"] if "hashes" not in it and not it["name"].startswith("daybook-")]
    assert not bare, bare
    assert all("licenses" in it for it in bom["components"]), "a component has no licence"


if __name__ == "__main__":
    made = sbom(sys.argv[1] if len(sys.argv) > 1 else "daybook-cli")
    check(made)
    json.dump(made, sys.stdout, indent=2)
    print()
