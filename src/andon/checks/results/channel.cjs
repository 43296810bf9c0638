'use strict';
// The reporters' end of the channel for JavaScript: reads and removes the secret, then numbers and signs every record.
// Node's own modules only. What it needs later is taken now, before any file of the tree is loaded.

const { createHmac, Hmac } = require('node:crypto');
const { openSync, readFileSync, realpathSync, unlinkSync, writeSync } = require('node:fs');
const { join, relative, sep } = require('node:path');

const { apply } = Reflect;
const { stringify } = JSON;
const { update, digest } = Hmac.prototype;
const { from } = Buffer;

const SHORTEST = 32;
const MOST_TEXT = 2000;
// Whoever has the process in its hands need not find this by its name.
delete require.cache[__filename];

/** Null: the channel is in use already, by the run that this one is a part of. */
function opened() {
  const place = JSON.parse(readFileSync(join(__dirname, 'place.json'), 'utf8'));
  let secret;
  try {
    secret = readFileSync(join(place.channel, 'secret'));
    unlinkSync(join(place.channel, 'secret'));
  } catch {
    return null;
  }
  if (secret.length < SHORTEST) return null;
  const descriptor = openSync(join(place.channel, 'results'), 'ax', 0o600);
  let number = 0;
  function record(kind, data) {
    const text = `${number} ${stringify({ ...data, kind })}`;
    number += 1;
    const hmac = createHmac('sha256', secret);
    apply(update, hmac, [text, 'utf8']);
    const line = from(`${text} ${apply(digest, hmac, ['hex'])}\n`, 'utf8');
    for (let written = 0; written < line.length; ) written += writeSync(descriptor, line, written);
  }
  return new Told(record, [place.tree, realpathSync(place.tree)]);
}

class Told {
  #record;
  #roots;
  #seen = new Map();
  failed = false;

  constructor(record, roots) {
    this.#record = record;
    this.#roots = roots;
  }

  /** As the tree has it. */
  path(file) {
    const found = this.#roots.map((root) => relative(root, file)).find((each) => !each.startsWith('..'));
    return plain((found ?? file).split(sep).join('/'));
  }

  /** Two tests of one name both run: the second is another test. */
  test(file, titles, outcome) {
    const name = [this.path(file), ...titles.map(plain)].join(' › ');
    const count = (this.#seen.get(name) ?? 0) + 1;
    this.#seen.set(name, count);
    this.failed ||= outcome === 'failed';
    this.#record('test', { id: count === 1 ? name : `${name} #${count}`, outcome });
  }

  problem(file, error) {
    this.failed = true;
    const text = plain(String(error?.message ?? error)).slice(-MOST_TEXT);
    this.#record('problem', { id: this.path(file), text });
  }

  finished() {
    this.#record('finished', { status: this.failed ? 1 : 0 });
  }
}

/** Without halves of characters, which no other program reads. */
function plain(text) {
  return from(String(text), 'utf8').toString('utf8');
}

module.exports = { opened };
