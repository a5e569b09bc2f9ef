'use strict';
// Runs tsc: node check_types.cjs TSC PROGRAM [ARGUMENT…], where it cannot be kept loaded (check_snapshot.cjs).
const fs = require('fs');
const path = require('path');
const { missingImports } = require('./missing_imports.cjs');

const [tsc, program] = process.argv.slice(2);

function loadCompiler() {
  const library = path.join(path.dirname(fs.realpathSync(tsc)), '../lib/typescript.js');
  return fs.existsSync(library) ? require(library) : undefined; // a tsc of another kind has none
}

const missing = missingImports(program, loadCompiler);
if (missing.length > 0) {
  fs.writeSync(1, missing.join(''));
  process.on('exit', (code) => {
    process.exitCode = code || 2;
  });
}
process.argv.splice(1, 2, tsc);
require(tsc);
