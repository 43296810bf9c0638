// Tells andon how each test of vitest ended, once the run is over. Loaded by vitest's own process; tests run in others.
// Vitest 3 and later tell modules; those before tell files, which have the same structure under other names.

import channel from './channel.cjs';

const told = channel.opened();

const ENDS = { passed: 'passed', pass: 'passed', failed: 'failed', fail: 'failed' };

export default class AndonReporter {
  #over = false;

  onTestRunEnd(modules) {
    this.#end(modules.map((each) => [each.moduleId, [...each.children].map(fromModule), each.errors?.() ?? []]));
  }

  onFinished(files = []) {
    this.#end(files.map((each) => [each.filepath, each.tasks.map(fromTask), each.result?.errors ?? []]));
  }

  #end(files) {
    if (this.#over || !told) return;
    this.#over = true;
    files.sort(([first], [second]) => (first < second ? -1 : first > second ? 1 : 0));
    for (const [file, children, errors] of files) {
      for (const error of errors) told.problem(file, error);
      tell(file, [], children);
    }
    told.finished();
  }
}

function tell(file, above, children) {
  for (const { name, state, errors, inner } of children) {
    if (!inner) {
      told.test(file, [...above, name], ENDS[state] ?? 'skipped');
      continue;
    }
    for (const error of errors) told.problem(file, error);
    tell(file, [...above, name], inner);
  }
}

function fromModule(task) {
  if (task.type === 'test') return { name: task.name, state: task.result().state };
  return { name: task.name, errors: task.errors?.() ?? [], inner: [...task.children].map(fromModule) };
}

function fromTask(task) {
  if (!task.tasks) return { name: task.name, state: task.result?.state };
  return { name: task.name, errors: task.result?.errors ?? [], inner: task.tasks.map(fromTask) };
}
