'use strict';
// Runs tsc: node check_types.cjs TSC [OPTION…] PROGRAM. To tsc every module that it does not find is of
// any type (types/globals.d.ts), which is right for packages and wrong for files of the program: those
// that are missing are said here, as tsc would say it.
const fs = require('fs');
const path = require('path');

const [tsc, ...args] = process.argv.slice(2);
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.json'];

function isFile(name) {
  return fs.statSync(name, { throwIfNoEntry: false })?.isFile() ?? false;
}

// The file that a relative import means: as it is written, with an extension, a .ts for a .js, or the
// index of a directory.
function fileOf(name) {
  const withoutScript = name.replace(/\.([mc]?)jsx?$/, '.$1ts');
  const bases = [name, path.join(name, 'index')];
  const names = [name, withoutScript, `${withoutScript}x`, path.join(name, 'package.json')];
  for (const base of bases) names.push(...EXTENSIONS.map((extension) => base + extension));
  return names.find(isFile);
}

const relative = /(["'`])(\.\.?\/[^"'`\n]*|\.\.?)\1/g;

// What a source imports by a relative name, with where it says so. TypeScript itself reads the source,
// but only where some text in it looks like the name of a file that is not there: loading it takes long.
function importsOf(name, source) {
  const named = [...source.matchAll(relative)].map((match) => match[2]);
  const isMissing = (text) => !fileOf(path.join(path.dirname(name), text));
  if (!named.some(isMissing)) return named.map((text) => ({ fileName: text }));
  const library = path.join(path.dirname(fs.realpathSync(tsc)), '../lib/typescript.js');
  if (!isFile(library)) return []; // a tsc of another kind
  return require(library).preProcessFile(source).importedFiles.filter(({ fileName }) => /^\.\.?(\/|$)/.test(fileName));
}

// Goes from file to file, beginning with the program; whether something was missing.
function sayMissing(program) {
  const seen = new Set([program]);
  let missing = false;
  for (const name of seen) {
    const source = fs.readFileSync(name, 'utf8');
    for (const { fileName, pos } of importsOf(name, source)) {
      const file = fileOf(path.join(path.dirname(name), fileName));
      if (file !== undefined) {
        if (/\.[mc]?tsx?$/.test(file)) seen.add(file);
        continue;
      }
      const before = source.slice(0, pos).split('\n');
      const place = `${name}(${before.length},${before.at(-1).length + 1})`;
      console.log(`${place}: error TS2307: Cannot find module '${fileName}': there is no such file.`);
      missing = true;
    }
  }
  return missing;
}

if (sayMissing(path.normalize(args.at(-1)))) {
  process.on('exit', (code) => {
    process.exitCode = code || 2;
  });
}
process.argv.splice(1, 2, tsc);
require(tsc);
