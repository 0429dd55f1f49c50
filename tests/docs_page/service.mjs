// A real `daybook dev` in a folder of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 120_000;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs `work` with the address of a service, which ends afterwards. */
export async function withService(binary, work) {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-docs-page-'));
  // As root, PostgreSQL runs under another account, which has to get through.
  chmodSync(folder, 0o711);
  const listen = `127.0.0.1:${await freePort()}`;
  const process = spawn(binary, ['dev', '--listen', listen, '--data-dir', join(folder, 'data')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(process, 'exit');
  try {
    const base = `http://${listen}`;
    await ready(base, process);
    return await work(base);
  } finally {
    process.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ready(base, process) {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const answer = await fetch(`${base}/health/ready`).catch(() => null);
    if (answer?.ok) return;
    if (process.exitCode !== null || Date.now() > deadline) throw new Error('daybook is not ready');
    await sleep(200);
  }
}
