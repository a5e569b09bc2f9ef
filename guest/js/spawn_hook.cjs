'use strict';
// Preloaded (node --require) into an interpreter that waits for its job. It blocks until the job has
// come on descriptor 3, applies it, removes its traces and returns; node then runs the program as in
// any other run. The format of a job is in src/runtime/README.md.
(function () {
  const { execArgv } = process;
  const own = execArgv.indexOf(__filename);
  if (own > 0) execArgv.splice(own - 1, 2);
  // Workers inherit --require; descriptor 3 is by then the program's own.
  if (!require('worker_threads').isMainThread) return;
  const fs = require('fs');
  const JOB = 3;

  function readExactly(size) {
    const bytes = Buffer.allocUnsafe(size);
    for (let used = 0; used < size; ) {
      const n = fs.readSync(JOB, bytes, used, size - used, null);
      if (n === 0) process.reallyExit(0); // nobody needs this interpreter any more
      used += n;
    }
    return bytes;
  }

  // What nearly every program does first is done once before the wait: the streams are made and the
  // formatting code is compiled.
  void process.stdout;
  void process.stderr;
  require('util').format('%s %d %j', 'a', 1, { b: [2, 'c'] }, { d: new Map([[1, 2]]), e: null });

  const header = readExactly(8);
  if (header.toString('latin1', 0, 4) !== 'COVJ') process.reallyExit(125);
  const job = readExactly(header.readUInt32LE(4));
  fs.closeSync(JOB);

  let at = 0;
  const number = () => job.readUInt32LE((at += 4) - 4);
  const text = () => {
    const size = number();
    return job.toString('utf8', at, (at += size));
  };
  for (let n = number(); n > 0; n--) process.argv.push(text());
  for (let n = number(); n > 0; n--) {
    const entry = text();
    const equals = entry.indexOf('=');
    process.env[entry.slice(0, equals)] = entry.slice(equals + 1);
  }

  const Module = require('module');
  delete Module._cache[__filename];
  for (const key of Object.keys(Module._pathCache)) {
    if (Module._pathCache[key] === __filename) delete Module._pathCache[key];
  }
})();
