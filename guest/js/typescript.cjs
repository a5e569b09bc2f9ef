'use strict';
// Preloaded (node --require) in front of a TypeScript program, on a node that does not strip types
// itself. esbuild turns the program, and uploaded files that it imports, into JavaScript; node then
// loads that in the program's place, so that the program is the main module under its own name. With
// --enable-source-maps stack traces show the lines of the TypeScript.
(function () {
  const esbuild = process.env.COVE_ESBUILD || 'esbuild';
  delete process.env.COVE_ESBUILD;
  const { execArgv } = process;
  const own = execArgv.indexOf(__filename);
  if (own > 0) execArgv.splice(own - 1, 2);
  const Module = require('module');
  delete Module._cache[__filename];
  if (process.features.typescript || !process.argv[1]) return;

  const fs = require('fs');
  const os = require('os');
  const path = require('path');
  const { pathToFileURL } = require('url');
  const program = path.resolve(process.argv[1]);
  const programUrl = pathToFileURL(program).href;
  const source = fs.readFileSync(program);

  function transform(...format) {
    const options = [
      '--bundle',
      '--platform=node',
      `--target=node${process.versions.node}`,
      '--loader=ts',
      '--sourcemap=inline',
      // Given on stdin, a program's relative imports start from the working directory, which is
      // where uploaded files are. Names in the map are relative to it, too.
      `--sourcefile=${program}`,
      `--source-root=${pathToFileURL(process.cwd()).href}/`,
      `--define:import.meta.url=${JSON.stringify(programUrl)}`,
      '--log-level=error',
      '--log-limit=20',
      '--color=false',
      ...format,
    ];
    return require('child_process').spawnSync(esbuild, options, {
      input: source,
      encoding: 'utf8',
      maxBuffer: 256 << 20,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  function fail(message) {
    fs.writeSync(2, message);
    process.reallyExit(1);
  }

  let result = transform('--format=cjs', '--packages=external');
  let javascript = result.stdout;
  if (result.status !== 0 && /top-level await/i.test(result.stderr || '')) {
    // CommonJS cannot wait at its top level: run it as an ES module that CommonJS imports. Such a
    // module is not looked up through NODE_PATH, so packages become part of it.
    const text = source.toString();
    const needsRequire = /\brequire\s*\(/.test(text) && !/\b(const|let|var)\s+require\b/.test(text);
    const banner =
      'import { createRequire as __createRequire } from "node:module";' +
      `const require = __createRequire(${JSON.stringify(programUrl)});`;
    result = transform('--format=esm', ...(needsRequire ? [`--banner:js=${banner}`] : []));
    if (result.status === 0) {
      const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'typescript-')), 'main.mjs');
      fs.writeFileSync(file, result.stdout);
      javascript = `import(${JSON.stringify(file)});`;
    }
  }
  if (result.error) {
    fail(`cannot run esbuild, which turns TypeScript into JavaScript: ${result.error.message}\n`);
  }
  if (result.status !== 0) {
    const shownAs = path.relative(process.cwd(), program);
    const message = (result.stderr || '').replaceAll(` ${shownAs}:`, ` ${program}:`);
    fail(message || `esbuild ended with ${result.signal || result.status}\n`);
  }

  // node's own loader reads the file; it gets the JavaScript, once.
  Module._extensions['.ts'] = Module._extensions['.js'];
  const { readFileSync } = fs;
  fs.readFileSync = function (file, ...options) {
    if (file !== program) return readFileSync.call(this, file, ...options);
    fs.readFileSync = readFileSync;
    return javascript;
  };
})();
