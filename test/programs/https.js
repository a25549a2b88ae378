// SPDX-License-Identifier: Apache-2.0
// An https server and client in Node.js; test/programs/node.py starts it.
//
//     https.js server KEY CERT              prints its port, runs until it is ended
//     https.js client CERT PORT SUITES...   for each suite: requests at once, and one large answer
//     https.js files                        streams through createCipheriv and back
'use strict';
const https = require('https');
const fs = require('fs');
const crypto = require('crypto');

const SECURITY = '@SECLEVEL=0';
const TLS13 = 'TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256:TLS_AES_128_CCM_SHA256:' +
              'TLS_AES_128_CCM_8_SHA256';

// The same bytes on both sides, for each length.
function bytes(n) {
  const out = Buffer.alloc(n);
  for (let i = 0; i < n; i++) out[i] = (n + i * i) & 255;
  return out;
}

function serve(key, cert) {
  const options = { key: fs.readFileSync(key), cert: fs.readFileSync(cert),
                    ciphers: `${TLS13}:ALL:${SECURITY}`, minVersion: 'TLSv1.2' };
  const server = https.createServer(options, (request, response) => {
    if (request.method === 'POST') request.pipe(response);
    else response.end(bytes(Number(request.url.slice(1))));
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

function ask(agent, port, n, body) {
  return new Promise((resolve, reject) => {
    const request = https.request(
      { agent, host: '127.0.0.1', servername: 'localhost', port, path: `/${n}`,
        method: body ? 'POST' : 'GET' },
      (response) => {
        const suite = response.socket.getCipher().standardName;
        const name = response.socket.getCipher().name;
        const pieces = [];
        response.on('data', (x) => pieces.push(x));
        response.on('error', reject);
        response.on('end', () => {
          if (!Buffer.concat(pieces).equals(body || bytes(n))) reject(new Error(`wrong answer: ${n}`));
          resolve([suite, name]);
        });
      });
    request.on('error', reject);
    request.end(body);
  });
}

async function connect(cert, port, suites) {
  const ca = fs.readFileSync(cert);
  for (const suite of suites) {
    const tls13 = suite.startsWith('TLS_');
    const options = tls13 ? { minVersion: 'TLSv1.3', ciphers: `${suite}:ALL:${SECURITY}` }
                          : { maxVersion: 'TLSv1.2', ciphers: `${suite}:${SECURITY}` };
    const agent = new https.Agent({ ca, keepAlive: false, maxSockets: 20, ...options });
    const work = [];
    for (let n = 0; n < 20; n++) work.push(ask(agent, port, n * n * 97));
    work.push(ask(agent, port, 4000000), ask(agent, port, 0, bytes(1000000)));
    for (const names of await Promise.all(work))
      if (!names.includes(suite)) throw new Error(`${names}, not ${suite}`);
  }
  console.log('done', suites.length);
}

async function files() {
  const { pipeline } = require('stream/promises');
  const { Readable } = require('stream');
  for (const bits of [128, 192, 256])
    for (const mode of ['cbc', 'ctr', 'gcm']) {
      const name = `aes-${bits}-${mode}`;
      const key = crypto.scryptSync('a phrase', 'salt', bits / 8);
      const iv = crypto.randomBytes(mode === 'gcm' ? 12 : 16);
      const data = bytes(1500007);
      const encryptor = crypto.createCipheriv(name, key, iv);
      const decryptor = crypto.createDecipheriv(name, key, iv);
      const secret = [];
      await pipeline(Readable.from([data.subarray(0, 7), data.subarray(7)]), encryptor,
                     async (source) => { for await (const x of source) secret.push(x); });
      if (mode === 'gcm') decryptor.setAuthTag(encryptor.getAuthTag());
      const plain = [];
      await pipeline(Readable.from(secret), decryptor,
                     async (source) => { for await (const x of source) plain.push(x); });
      if (!Buffer.concat(plain).equals(data)) throw new Error(name);
    }
  // An encrypted private key: PBES2.
  const { privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' });
  if (!crypto.createPrivateKey({ key: pem, passphrase: 'x' }).equals(privateKey)) throw new Error('key');
  console.log('done');
}

const [what, ...rest] = process.argv.slice(2);
const fail = (e) => { console.error(e); process.exit(1); };
if (what === 'server') serve(...rest);
else if (what === 'client') connect(rest[0], rest[1], rest.slice(2)).catch(fail);
else files().catch(fail);
