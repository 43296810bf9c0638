'use strict';
// Tells andon how each test of jest ended. Loaded by jest's own process, which also runs tests when there are few.

const told = require('./channel.cjs').opened();

const ENDS = { passed: 'passed', failed: 'failed' };

module.exports = class AndonReporter {
  onTestResult(test, result) {
    if (!told) return;
    if (result.testExecError) told.problem(test.path, result.testExecError);
    for (const each of result.testResults) {
      told.test(test.path, [...each.ancestorTitles, each.title], ENDS[each.status] ?? 'skipped');
    }
  }

  onRunComplete() {
    told?.finished();
  }
};
