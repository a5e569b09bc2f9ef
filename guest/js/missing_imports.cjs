'use strict';
// To tsc every module that it does not find is of any type (types/globals.d.ts), which is right for packages
// and wrong for files of the program. Those that are missing are found here.
const fs = require('fs');
const path = require('path');

const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
const RELATIVE = /(["'`])(\.\.?\/[^"'`\n]*|\.\.?)\1/g;

function isFile(name) {
  const facts = fs.statSync(name, { throwIfNoEntry: false });
  return facts !== undefined && facts.isFile();
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

// What a source imports by a relative name, with where it says so. The compiler itself reads the source, but
// only where some text in it looks like the name of a file that is not there: it may have to be loaded.
function importsOf(name, source, loadCompiler) {
  const named = [...source.matchAll(RELATIVE)].map((match) => match[2]);
  const isMissing = (text) => !fileOf(path.join(path.dirname(name), text));
  if (!named.some(isMissing)) return named.map((text) => ({ fileName: text }));
  const compiler = loadCompiler();
  if (!compiler) return [];
  return compiler.preProcessFile(source).importedFiles.filter(({ fileName }) => /^\.\.?(\/|$)/.test(fileName));
}

// One line for each, as tsc would say it. Goes from file to file, beginning with the program. `loadCompiler`
// gives the compiler as a library, or nothing where there is none.
function missingImports(program, loadCompiler) {
  const seen = new Set([path.normalize(program)]);
  const lines = [];
  for (const name of seen) {
    const source = fs.readFileSync(name, 'utf8');
    for (const { fileName, pos } of importsOf(name, source, loadCompiler)) {
      const file = fileOf(path.join(path.dirname(name), fileName));
      if (file === undefined) {
        const before = source.slice(0, pos).split('\n');
        const place = `${name}(${before.length},${before.at(-1).length + 1})`;
        lines.push(`${place}: error TS2307: Cannot find module '${fileName}': there is no such file.\n`);
      } else if (/\.[mc]?tsx?$/.test(file)) {
        seen.add(file);
      }
    }
  }
  return lines;
}

module.exports = { missingImports };
