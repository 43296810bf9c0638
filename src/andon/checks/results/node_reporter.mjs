// Tells andon how each test of `node --test` ended. Loaded by the runner's own process, in which no test runs.
// A test's parents are those that were told to start before it and not yet to end.

import { isAbsolute } from 'node:path';
import channel from './channel.cjs';

const told = channel.opened();

export default async function* report(source) {
  const started = [];
  for await (const { type, data } of source) {
    if (!told || !data) continue;
    if (type === 'test:start') {
      started.length = data.nesting;
      started.push(data);
    } else if (type === 'test:pass' || type === 'test:fail') {
      started.length = Math.min(started.length, data.nesting);
      ended(type === 'test:pass', data, started);
    }
  }
  told?.finished();
}

function ended(passed, data, above) {
  const file = above[0]?.file ?? data.file ?? data.name;
  const error = data.details?.error;
  // A file without tests of its own is one test, named by its path.
  const whole = data.nesting === 0 && isAbsolute(data.name) && (!data.file || data.file === data.name);
  if (data.details?.type === 'suite') {
    if (!passed && error?.failureType !== 'subtestsFailed') told.problem(file, error?.cause ?? error);
    return;
  }
  if (whole && !passed) told.problem(data.name, error);
  told.test(file, whole ? [] : [...above.map((each) => each.name), data.name], outcome(passed, data));
}

function outcome(passed, data) {
  if (data.skip !== undefined && data.skip !== false) return 'skipped';
  if (data.todo !== undefined && data.todo !== false) return passed ? 'skipped' : 'xfailed';
  return passed ? 'passed' : 'failed';
}
