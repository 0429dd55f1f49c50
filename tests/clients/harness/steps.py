"""Runs the steps of a client library and accounts for each of its methods, as run.mjs does.

A method is covered by the first step that calls it, or is listed in not_applicable.tsv with a reason. A method that is
neither or both is a failure. FRAGMENT names the output file for this client's part of docs/reference/clients.md. The
last line of the output contains the counts.
"""

import inspect
import os
import traceback
from pathlib import Path

_covered_by = {}
_running = ''


def called(method):
    """Records that the running step calls this method."""
    if _running:
        _covered_by.setdefault(method, _running)


class Noted:
    """Wraps an object and records the methods that are called; results of `kinds` are wrapped as well."""

    def __init__(self, value, kinds):
        self._value, self._kinds = value, kinds

    def __getattr__(self, name):
        member = getattr(self._value, name)
        if not callable(member):
            return member

        def call(*values, **options):
            called(f'{type(self._value).__name__}.{name}')
            answer = member(*values, **options)
            return Noted(answer, self._kinds) if isinstance(answer, self._kinds) else answer

        return call


def methods_of(kind):
    """Returns the names of a class's public methods."""
    return [f'{kind.__name__}.{name}' for name, _ in inspect.getmembers(kind, inspect.isfunction) if name[0] != '_']


def listed_in(folder):
    lines = (Path(folder) / 'not_applicable.tsv').read_text().splitlines()
    return dict(line.split('\t') for line in lines if line)


def _passes(name, step):
    global _running
    _running = name
    try:
        step()
        print(f'ok - {name}')
        return True
    except Exception as error:
        print(f'not ok - {name}\n{traceback.format_exc()}{getattr(error, "response", "")}')
        return False
    finally:
        _running = ''


def _unaccounted(methods, listed):
    for method in methods:
        if method not in _covered_by and method not in listed:
            yield f'{method} is called by no step and not listed'
        if method in _covered_by and method in listed:
            yield f'{method} is called, and listed as not applicable'
    for method in listed.keys() - set(methods):
        yield f'{method} is listed, and the library has no such method'


def run(steps, methods, folder):
    """Runs functions in order; the docstring of each is its name. Returns the exit code."""
    listed = listed_in(folder)
    passed = sum([_passes(step.__doc__, step) for step in steps])
    wrong = list(_unaccounted(methods, listed)) if passed == len(steps) else []
    for line in wrong:
        print(f'not ok - {line}')

    covered = [method for method in methods if method in _covered_by]
    counts = (f'{len(steps)} steps, {passed} passed; {len(methods)} methods, {len(covered)} called, '
              f'{len(listed)} not applicable')
    rows = [f'| `{method}` | {_covered_by.get(method) or listed.get(method, "?")} |' for method in methods]
    table = '\n'.join([f'{counts}.', '', '| Method | Called first by |', '|---|---|', *rows])
    Path(os.environ['FRAGMENT']).write_text(table + '\n')
    print(counts)
    return 0 if passed == len(steps) and not wrong else 1
