// Runs the steps of a client library, subject by subject, and accounts for each of its methods.
//
// A method is covered by the first step that calls it, or stands in not_applicable.tsv with the reason. One that is
// neither, or both, is a failure. FRAGMENT names a file for what docs/reference/clients.md says of this client. The
// last line holds the counts; the exit code is 1 if anything failed.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';

// What the steps of a subject hand on. Reading what no step has written means that the step before failed.
export const world = () => new Proxy({}, {
  get: (kept, name) => (name in kept ? kept[name] : assert.fail(`not run: there is no ${name}`)),
});

const coveredBy = new Map();
let running = '';

// Notes that the step which runs calls this method.
export function called(method) {
  if (running && !coveredBy.has(method)) coveredBy.set(method, running);
}

async function passes(name, step) {
  running = name;
  try {
    await step();
    console.log(`ok - ${name}`);
    return true;
  } catch (error) {
    console.log(`not ok - ${name}\n${told(error).replace(/^/gm, '    ')}`);
    return false;
  } finally {
    running = '';
  }
}

// What a refused call was answered, or what a check found; and the line of the step.
function told({ response, message, stack }) {
  const found = response ? `${response.status} ${JSON.stringify(response.data ?? response.body)}` : message;
  const line = stack.split('\n').find((place) => place.includes('.mjs:') && !place.includes('/harness/'));
  return line ? `${found}\n${line.trim()}` : found;
}

function reasons(folder) {
  const lines = readFileSync(new URL('not_applicable.tsv', folder), 'utf8').trim().split('\n');
  return new Map(lines.map((line) => line.split('\t')));
}

function unaccounted(methods, listed) {
  const wrong = [];
  for (const method of methods) {
    if (!coveredBy.has(method) && !listed.has(method)) wrong.push(`${method} is called by no step and not listed`);
    if (coveredBy.has(method) && listed.has(method)) wrong.push(`${method} is called, and listed as not applicable`);
  }
  for (const method of listed.keys()) {
    if (!methods.includes(method)) wrong.push(`${method} is listed, and the library has no such method`);
  }
  return wrong;
}

// `subjects` maps names to steps, `methods` is every method that the library offers, `folder` the URL of a file beside
// not_applicable.tsv.
export async function run(subjects, methods, folder) {
  const listed = reasons(folder);
  const all = Object.entries(subjects).flatMap(([subject, steps]) => (
    Object.entries(steps).map(([name, step]) => [`${subject}: ${name}`, step])));
  let passed = 0;
  for (const [name, step] of all) passed += Number(await passes(name, step));

  const wrong = passed === all.length ? unaccounted(methods, listed) : [];
  wrong.forEach((line) => console.log(`not ok - ${line}`));

  const covered = methods.filter((method) => coveredBy.has(method));
  const counts = `${all.length} steps, ${passed} passed; ${methods.length} methods, ${covered.length} called, `
    + `${listed.size} not applicable`;
  const rows = methods.map((method) => `| \`${method}\` | ${coveredBy.get(method) ?? listed.get(method)} |`);
  const table = [`${counts}.`, '', '| Method | Called first by |', '|---|---|', ...rows].join('\n');
  if (process.env.FRAGMENT) writeFileSync(process.env.FRAGMENT, `${table}\n`);
  console.log(counts);
  process.exitCode = passed === all.length && wrong.length === 0 ? 0 : 1;
}
