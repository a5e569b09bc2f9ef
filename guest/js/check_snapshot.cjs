'use strict';
// tsc, loaded once. Started as
//   node --snapshot-blob BLOB --build-snapshot check_snapshot.cjs TSC ARGUMENTS
// it loads the compiler of the command TSC, has it read its library and check a small program, and node
// keeps its heap in BLOB. Started from there,
//   node --snapshot-blob BLOB PROGRAM ARGUMENTS
// checks as `tsc PROGRAM ARGUMENTS` does and prints the same, in a third of the time: nothing is left to load.
// The options must be those that the snapshot was built with.
const fs = require('fs');
const path = require('path');
const { startupSnapshot } = require('v8');

// TSC is a link to .../bin/tsc; the compiler as a library lies beside.
const library = path.join(path.dirname(path.dirname(fs.realpathSync(process.argv[2]))), 'lib');

// A script of a snapshot cannot require files. What these files require is node's own.
function load(file) {
  const module = { exports: {} };
  const run = new Function('exports', 'require', 'module', '__filename', '__dirname', fs.readFileSync(file, 'utf8'));
  run(module.exports, require, module, file, path.dirname(file));
  return module.exports;
}

const ts = load(path.join(library, 'typescript.js'));
const { missingImports } = load(path.join(path.dirname(process.argv[1]), 'missing_imports.cjs'));
const known = new Map(); // source files of the library, parsed and bound

function createHost(options, extra) {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getCurrentDirectory = () => process.cwd(); // the compiler remembers that of its start
  host.getDefaultLibLocation = () => library;
  host.getDefaultLibFileName = (wanted) => path.join(library, ts.getDefaultLibFileName(wanted));
  host.getSourceFile = (name, version, ...rest) => {
    if (extra && name === extra.name) return ts.createSourceFile(name, extra.text, version, true);
    if (path.dirname(name) !== library) return read(name, version, ...rest);
    if (!known.has(name)) known.set(name, read(name, version, ...rest));
    return known.get(name);
  };
  return host;
}

// As tsc does, what comes later is not asked for when something was wrong before.
function diagnosticsOf(program) {
  const found = [...program.getConfigFileParsingDiagnostics(), ...program.getSyntacticDiagnostics()];
  if (found.length === 0) found.push(...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics());
  if (found.length === 0) found.push(...program.getSemanticDiagnostics());
  return ts.sortAndDeduplicateDiagnostics(found);
}

function check(args, extra) {
  const { options, fileNames, errors } = ts.parseCommandLine(args);
  if (errors.length > 0) return errors;
  const rootNames = extra ? [extra.name, ...fileNames] : fileNames;
  return diagnosticsOf(ts.createProgram({ rootNames, options, host: createHost(options, extra) }));
}

function textOf(diagnostics) {
  return ts.formatDiagnostics(diagnostics, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => process.cwd(),
    getNewLine: () => '\n',
  });
}

function print(text) {
  // At once: a pipe is written to asynchronously, and the process would end before.
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

// So that what programs commonly need is compiled and its types are known.
const sample = {
  name: path.join(process.cwd(), 'sample.ts'),
  text: `interface Item { name: string; price?: number }
    class Basket<T extends Item> { items: T[] = []; add(item: T): this { this.items.push(item); return this; } }
    async function load(): Promise<Map<string, number>> { return new Map([['a', 1]]); }
    const basket = new Basket<Item>().add({ name: 'a', price: 2 });
    console.log(basket.items.map(({ name, price = 0 }) => \`\${name} \${price}\`).join(), load());
    const wrong: number = 'text';
    export {};`,
};
if (check(process.argv.slice(3), sample).length !== 1) throw new Error('the sample is not checked as it should be');

startupSnapshot.setDeserializeMainFunction(() => {
  const args = process.argv.slice(1);
  const missing = missingImports(args[0], () => ts);
  const found = check(args);
  print(missing.join('') + textOf(found));
  const isWrong = missing.length > 0 || found.some(({ category }) => category === ts.DiagnosticCategory.Error);
  process.exitCode = isWrong ? 2 : 0;
});
