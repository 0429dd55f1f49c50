"""Runs the suite that ships inside synapse_pay_rest_native 3.4.8, unmodified, against a running Daybook.

Every test of the suite runs. Tests that cannot apply are listed in not_applicable.tsv with a reason; a listed test that
passes, or that does not exist, is an error in the list.

Environment: BASE_URL (without /v3.1), CLIENT_ID, CLIENT_SECRET; FRAGMENT, the output file for this client's part of
docs/reference/clients.md. Exit code 1 if a result differs from the list. The last line of the output contains the
counts.
"""

import importlib
import os
import pkgutil
import sys
import unittest
from pathlib import Path
from unittest import mock

import redirect

HERE = Path(__file__).parent
PACKAGE = 'synapse_pay_rest.tests'


class Outcomes(unittest.TestResult):
    """Results of the tests, by their names within the package."""

    def __init__(self):
        super().__init__()
        self.buffer = True
        self.passed, self.skipped_by_suite, self.broken = set(), set(), {}

    def addSuccess(self, test):
        self.passed.add(name_of(test))

    def addSkip(self, test, reason):
        self.skipped_by_suite.add(name_of(test))

    def addFailure(self, test, err):
        self.broken[name_of(test)] = self._exc_info_to_string(err, test)

    addError = addFailure


def name_of(test):
    return test.id().removeprefix(f'{PACKAGE}.')


def suite():
    """Returns all tests of the package, in order of module names."""
    loader, tests = unittest.TestLoader(), unittest.TestSuite()
    package = importlib.import_module(PACKAGE)
    for module in pkgutil.walk_packages(package.__path__, f'{PACKAGE}.'):
        if module.ispkg or '.fixtures.' in module.name:
            continue
        for member in vars(importlib.import_module(module.name)).values():
            if isinstance(member, type) and issubclass(member, unittest.TestCase) and member.__module__ == module.name:
                tests.addTests(loader.loadTestsFromTestCase(member))
    return tests


def not_applicable():
    lines = (HERE / 'not_applicable.tsv').read_text().splitlines()
    return dict(line.split('\t') for line in lines if line)


def lay_in_picture():
    """Adds a picture that two tests open and that is missing from the package."""
    package = importlib.import_module(f'{PACKAGE}.fixtures')
    (Path(package.__file__).parent / 'test.png').write_bytes(redirect.PICTURE)


def run():
    outcomes = Outcomes()
    # The suite sleeps only to wait for the vendor's card issuer.
    with mock.patch('time.sleep'):
        suite().run(outcomes)
    return outcomes


def differences(outcomes, listed):
    for name in sorted(outcomes.broken.keys() - listed.keys()):
        yield f'not ok - {name}\n{outcomes.broken[name]}'
    for name in sorted(listed.keys() & outcomes.passed):
        yield f'not ok - {name} passes, though it is listed as not applicable'
    for name in sorted(listed.keys() - outcomes.passed - outcomes.broken.keys()):
        yield f'not ok - {name} is listed as not applicable, and there is no such test'


def fragment(counts, listed):
    reasons = {}
    for name, reason in listed.items():
        reasons.setdefault(reason, []).append(f'`{name}`')
    rows = [f'| {reason} | {", ".join(names)} |' for reason, names in reasons.items()]
    return '\n'.join([counts + '.', '', '| Not applicable | Tests |', '|---|---|', *rows]) + '\n'


def main():
    os.environ['TEST_CLIENT_ID'] = os.environ['CLIENT_ID']
    os.environ['TEST_CLIENT_SECRET'] = os.environ['CLIENT_SECRET']
    redirect.install(os.environ['BASE_URL'])
    lay_in_picture()
    listed, outcomes = not_applicable(), run()
    for name in sorted(outcomes.passed):
        print(f'ok - {name}')
    found = list(differences(outcomes, listed))
    print(*found, sep='\n')
    ran = len(outcomes.passed) + len(outcomes.broken)
    counts = f'{ran} run, {len(outcomes.passed)} passed, {len(outcomes.broken.keys() & listed.keys())} not applicable'
    counts += f'; {len(outcomes.skipped_by_suite)} more are skipped by the suite itself'
    Path(os.environ['FRAGMENT']).write_text(fragment(counts, listed))
    print(counts)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
