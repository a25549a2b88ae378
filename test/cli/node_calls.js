// SPDX-License-Identifier: Apache-2.0
// What Node.js programs do with AES: prints one line of JSON for each call, with its result or with
// all that the exception says. test_node.py runs this twice, with ctaes and without, and compares.
'use strict';
const crypto = require('crypto');

// Bytes that are the same in every run.
function bytes(n, seed) {
  const out = Buffer.alloc(n);
  let x = seed * 2654435761 + 1;
  for (let i = 0; i < n; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    out[i] = x >>> 24;
  }
  return out;
}

// A short stand-in for long results: a digest would come from another provider than AES.
function brief(value) {
  if (!Buffer.isBuffer(value)) return value;
  if (value.length <= 64) return value.toString('hex');
  let h = 0xcbf29ce484222325n;
  for (const byte of value) h = BigInt.asUintN(64, (h ^ BigInt(byte)) * 0x100000001b3n);
  return `${value.length}:${h.toString(16)}`;
}

function report(name, call) {
  const line = { name };
  try {
    line.value = brief(call());
  } catch (e) {
    line.error = { name: e.name, message: e.message, code: e.code, reason: e.reason,
                   library: e.library, stack: e.opensslErrorStack };
  }
  console.log(JSON.stringify(line));
}

// Feeds data in pieces of these sizes, over and over; at most 50 pieces, then the rest.
function feed(cipher, data, sizes) {
  const out = [];
  let at = 0;
  for (let i = 0; at < data.length && i < 50; i++) {
    const n = sizes[i % sizes.length];
    out.push(cipher.update(data.subarray(at, at + n)));
    at += n;
  }
  out.push(cipher.update(data.subarray(at)));
  return out;
}

const LENGTHS = [0, 1, 15, 16, 17, 31, 32, 33, 1000, 1023, 1024, 1025, 20000];
const SPLITS = [[1 << 30], [1, 15, 16, 17], [7], [16, 0, 64], [333, 1024]];

for (const bits of [128, 192, 256]) {
  const key = bytes(bits / 8, bits);

  for (const mode of ['ecb', 'cbc', 'ctr']) {
    const name = `aes-${bits}-${mode}`;
    const iv = mode === 'ecb' ? null : bytes(16, 1);
    for (const length of LENGTHS) {
      const data = bytes(length, length);
      for (const sizes of SPLITS) {
        report(`${name} ${length} in ${sizes}`, () => {
          const encryptor = crypto.createCipheriv(name, key, iv);
          const secret = Buffer.concat([...feed(encryptor, data, sizes), encryptor.final()]);
          const decryptor = crypto.createDecipheriv(name, key, iv);
          const plain = Buffer.concat([...feed(decryptor, secret, sizes), decryptor.final()]);
          if (!plain.equals(data)) throw new Error('decrypts to something else');
          return secret;
        });
      }
      for (const pad of [true, false]) {
        report(`${name} ${length} encrypted, padding ${pad}`, () => {
          const cipher = crypto.createCipheriv(name, key, iv).setAutoPadding(pad);
          return Buffer.concat([cipher.update(data), cipher.final()]);
        });
        report(`${name} ${length} decrypted, padding ${pad}`, () => {
          const cipher = crypto.createDecipheriv(name, key, iv).setAutoPadding(pad);
          return Buffer.concat([cipher.update(data), cipher.final()]);
        });
      }
    }
    report(`${name} final twice`, () => {
      const cipher = crypto.createCipheriv(name, key, iv);
      cipher.final();
      return cipher.final();
    });
    report(`${name} update after final`, () => {
      const cipher = crypto.createCipheriv(name, key, iv);
      cipher.final();
      return cipher.update('x');
    });
    report(`${name} short key`, () => crypto.createCipheriv(name, key.subarray(1), iv));
    report(`${name} long iv`, () => crypto.createCipheriv(name, key, bytes(17, 1)));
    report(`${name} short iv`, () => crypto.createCipheriv(name, key, bytes(15, 1)));
    report(`${name} info`, () => crypto.getCipherInfo(name));
  }

  const name = `aes-${bits}-gcm`;
  const message = (length, options) => {
    const o = { iv: bytes(12, 2), aad: bytes(20, 3), sizes: [1 << 30], tagLength: 16, ...options };
    const encryptor = crypto.createCipheriv(name, key, o.iv, { authTagLength: o.tagLength });
    if (o.aad.length) encryptor.setAAD(o.aad);
    const data = feed(encryptor, bytes(length, length), o.sizes);
    const secret = Buffer.concat([...data, encryptor.final()]);
    return { ...o, secret, tag: encryptor.getAuthTag() };
  };
  const open = (m) => {
    const decryptor = crypto.createDecipheriv(name, key, m.iv, { authTagLength: m.tagLength });
    if (!m.late) decryptor.setAuthTag(m.tag);
    if (m.aad.length) decryptor.setAAD(m.aad);
    const plain = Buffer.concat(feed(decryptor, m.secret, m.sizes));
    if (m.late) decryptor.setAuthTag(m.tag);
    return Buffer.concat([plain, decryptor.final()]);
  };
  const flip = (buffer, at) => {
    const out = Buffer.from(buffer);
    out[at] ^= 1;
    return out;
  };
  for (const length of LENGTHS) {
    for (const sizes of SPLITS) {
      report(`${name} ${length} in ${sizes}`, () => {
        const m = message(length, { sizes });
        return Buffer.concat([m.secret, m.tag, open(m), open({ ...m, late: true })]);
      });
    }
    const m = message(length);
    report(`${name} ${length} wrong tag`, () => open({ ...m, tag: flip(m.tag, 0) }));
    report(`${name} ${length} wrong tag, late`, () =>
      open({ ...m, tag: flip(m.tag, 15), late: true }));
    report(`${name} ${length} wrong aad`, () => open({ ...m, aad: flip(m.aad, 19) }));
    report(`${name} ${length} no aad`, () => open({ ...m, aad: Buffer.alloc(0) }));
    report(`${name} ${length} wrong iv`, () => open({ ...m, iv: flip(m.iv, 11) }));
    if (length)
      report(`${name} ${length} wrong data`, () =>
        open({ ...m, secret: flip(m.secret, length - 1) }));
  }
  for (const n of [1, 8, 11, 12, 13, 16, 17, 64, 128, 129])
    report(`${name} iv of ${n}`, () => {
      const m = message(100, { iv: bytes(n, n) });
      return Buffer.concat([m.secret, m.tag, open(m)]);
    });
  for (const tagLength of [0, 1, 3, 4, 8, 12, 13, 14, 15, 16, 17])
    report(`${name} tag of ${tagLength}`, () => {
      const m = message(100, { tagLength });
      return Buffer.concat([m.secret, m.tag, open(m)]);
    });
  for (const n of [0, 1, 15, 16, 17, 1000])
    report(`${name} aad of ${n}`, () => {
      const m = message(100, { aad: bytes(n, n) });
      return Buffer.concat([m.secret, m.tag, open(m)]);
    });
  report(`${name} no tag given`, () => {
    const decryptor = crypto.createDecipheriv(name, key, bytes(12, 2));
    decryptor.update(bytes(10, 1));
    return decryptor.final();
  });
  report(`${name} tag before final`, () =>
    crypto.createCipheriv(name, key, bytes(12, 2)).getAuthTag());
  report(`${name} info`, () => crypto.getCipherInfo(name));
}

// Two things that ctaes hasn't got, and one that the strict configuration provides for.
report('who', () => ({
  sha256: (() => {
    try {
      return crypto.createHash('sha256').update('abc').digest('hex').slice(0, 8);
    } catch (e) {
      return e.message;
    }
  })(),
  random: crypto.randomBytes(16).length,
  modules: require('fs').readFileSync('/proc/self/maps', 'utf8').split('\n')
    .filter((x) => x.endsWith('/ctaes.so')).map((x) => x.replace(/^.*? (?=\/)/, ''))
    .filter((x, i, all) => all.indexOf(x) === i),
}));

// The Web Cryptography API.
(async () => {
  const { subtle } = crypto.webcrypto;
  for (const [name, parameters] of Object.entries({
    'AES-CBC': { iv: bytes(16, 1) },
    'AES-CTR': { counter: bytes(16, 1), length: 64 },
    'AES-GCM': { iv: bytes(12, 1), additionalData: bytes(9, 1) },
  })) {
    const key = await subtle.importKey('raw', bytes(32, 9), name, false, ['encrypt', 'decrypt']);
    const data = bytes(1000, 5);
    const secret = Buffer.from(await subtle.encrypt({ name, ...parameters }, key, data));
    const plain = Buffer.from(await subtle.decrypt({ name, ...parameters }, key, secret));
    report(`web ${name}`, () => Buffer.concat([secret, plain]));
    let error = null;
    await subtle.decrypt({ name, ...parameters }, key, secret.subarray(1)).catch((e) => {
      error = `${e.name}: ${e.message}`;
    });
    report(`web ${name} damaged`, () => error);
  }
  report('end', () => 'reached');
})();
