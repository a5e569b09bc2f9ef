'use strict';
// Runs a harnessed program, JavaScript or TypeScript: node javascript.cjs PROGRAM (or bun, or deno).
//
// The program defines run(input): a function of that name, an export `run`, a default export or
// module.exports itself; on bun and deno it must be exported. It may be async. Its input is the JSON in
// input.json beside it; what it returns is printed as JSON, compact, on a line of its own that is the last
// of stdout. Everything else that the program prints stays as it is: what is in front of the newline
// before the value is exactly that.
const fs = require('fs');
const path = require('path');
const Module = require('module');
const { pathToFileURL } = require('url');
const { inspect } = require('util');

const ESBUILD = process.env.COVE_ESBUILD;
delete process.env.COVE_ESBUILD;
const program = path.resolve(process.argv[2]);
const INPUT = path.join(path.dirname(program), 'input.json');
const SIGNATURE = program.endsWith('.ts') ? 'function run(input: any): any' : 'function run(input)';
const isTypeScript = program.endsWith('.ts') && ESBUILD !== undefined;

const { write } = process.stdout; // the program may set another

function fail(message) {
  fs.writeSync(2, message + '\n');
  process.exit(1);
}

// A program's stack ends where the harness begins, or the loader that the harness called.
function report(error) {
  if (error instanceof Error && typeof error.stack === 'string') {
    const lines = error.stack.split('\n');
    let end = lines.findIndex((line) => line.includes(__filename));
    while (end > 1 && /^\s+at .*node:internal\//.test(lines[end - 1])) end--;
    if (end > 0) error.stack = lines.slice(0, end).join('\n');
    // A stack without frames is that of a syntax error and begins with its place.
    if (!/^\s+at /m.test(error.stack)) fail(error.stack);
  }
  fail('Uncaught ' + inspect(error));
}

// Nothing of a program has run when it turns out to be an ES module.
function isEsModule(error) {
  return (
    error?.code === 'ERR_REQUIRE_ASYNC_MODULE' ||
    (error instanceof SyntaxError &&
      /import statement|token 'export'|'import\.meta'|await is only valid/.test(error.message))
  );
}

// TypeScript loses its types; what the program imports from uploaded files comes along.
function withoutTypes(source) {
  const { spawnSync } = require('child_process');
  const options = ['--bundle', '--platform=node', '--format=cjs', '--packages=external', '--loader=ts',
    `--target=node${process.versions.node}`, '--sourcemap=inline', `--sourcefile=${program}`,
    `--source-root=${pathToFileURL(process.cwd()).href}/`, '--log-level=error', '--log-limit=20', '--color=false'];
  const done = spawnSync(ESBUILD, options, { input: source, encoding: 'utf8', maxBuffer: 256 << 20 });
  if (done.status !== 0) {
    const shownAs = path.relative(process.cwd(), program);
    fail((done.stderr || String(done.error)).trimEnd().replaceAll(` ${shownAs}:`, ` ${program}:`));
  }
  return done.stdout;
}

// Compiles the program with one more line, which hands out a function that is merely declared. Works
// for CommonJS, and for ES modules where the engine recognises them.
function compileAsMain() {
  const declared = Symbol.for('cove.run');
  const source = fs.readFileSync(program, 'utf8').replace(/^#!.*/, '');
  const last = '\n;if (typeof run !== "undefined") (globalThis)[Symbol.for("cove.run")] = run;';
  const main = new Module(program, null);
  main.id = '.';
  main.filename = program;
  main.paths = Module._nodeModulePaths(path.dirname(program));
  process.mainModule = main;
  Module._cache[program] = main;
  main._compile(isTypeScript ? withoutTypes(source + last) : source + last, program);
  main.loaded = true;
  const exported = main.exports;
  const run = typeof exported === 'function' ? exported : exported?.run ?? exported?.default;
  const found = run ?? globalThis[declared];
  delete globalThis[declared];
  return found;
}

async function load() {
  // bun's and deno's own loaders know their ways better than their copies of node's do.
  if ((isTypeScript || program.endsWith('.js')) && !process.versions.bun && !process.versions.deno) {
    try {
      return compileAsMain();
    } catch (error) {
      if (!isEsModule(error)) throw error;
      delete Module._cache[program];
    }
  }
  const loaded = await import(pathToFileURL(program).href);
  return loaded.run ?? loaded.default?.run ?? loaded.default;
}

// Otherwise the last line would be taken for the value, and it is not.
let printed = false;
process.on('exit', (code) => {
  if (printed || code !== 0) return;
  fs.writeSync(2, `${program}: ended before run(input) returned a value\n`);
  process.exitCode = 1;
});

async function main() {
  const input = JSON.parse(fs.readFileSync(INPUT, 'utf8'));
  process.argv.splice(1, 2, program);
  let value;
  try {
    const run = await load();
    if (run === undefined) {
      fail(`${program}: the program has no \`run\`: the harness calls \`${SIGNATURE}\`; on bun and deno, ` +
        'and in an ES module, it must be exported');
    }
    if (typeof run !== 'function') {
      fail(`${program}: the harness cannot call this \`run\`, of type ${typeof run}: it must be \`${SIGNATURE}\``);
    }
    value = await run(input);
  } catch (error) {
    report(error);
  }
  let text;
  try {
    text = JSON.stringify(value) ?? 'null';
  } catch (error) {
    fail(`run(input) returned a value that JSON cannot express: ${error.message}`);
  }
  printed = true;
  // Ends here even if timers are left: nothing may follow the value.
  write.call(process.stdout, '\n' + text + '\n', () => process.exit());
}

main();
