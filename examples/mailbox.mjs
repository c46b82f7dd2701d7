// @ts-check
/**
 * Ada's mailbox, so that `email.mjs` needs no mail server: it takes mails over SMTP, opens every link in them as a scanner does,
 * and then lets the person at the terminal press a button.
 */
import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { askOnTerminal } from './ask.mjs';

/** @import { AddressInfo } from 'node:net' */

/** @returns {Promise<{ url: string, close: () => Promise<void> }>} */
export async function openMailbox() {
  /** @type {Promise<void>[]} */
  const reading = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, taken) {
      let mail = '';
      stream.setEncoding('utf8');
      stream.on('data', (/** @type {string} */ text) => (mail += text));
      stream.on('end', () => {
        taken();
        reading.push(read(mail));
      });
    },
  });
  const { server: listening } = server;
  server.listen(0, '127.0.0.1');
  if (!listening.listening) await once(listening, 'listening');
  const { port } = /** @type {AddressInfo} */ (listening.address());
  return {
    url: `smtp://127.0.0.1:${port}`,
    close: async () => {
      await Promise.all(reading);
      await new Promise((closed) => server.close(() => closed(undefined)));
    },
  };
}

/** @param {string} mail */
async function read(mail) {
  console.log(`a mail: ${/^Subject: (.*)$/m.exec(mail)?.[1]?.trim()}`);
  // Long lines are folded and `=` is written as `=3D` (quoted-printable).
  const text = mail
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  const [approve = '', reject = ''] = ['Approve', 'Reject'].map(
    (word) => new RegExp(`${word}: (\\S+)`).exec(text)?.[1],
  );
  for (const link of [approve, reject]) console.log('a scanner opens a link:', (await fetch(link)).status);

  const preview = /<pre>([\s\S]*?)<\/pre>/.exec(await (await fetch(approve)).text())?.[1] ?? '';
  const decision = await askOnTerminal({ preview, flags: [] });
  const [link, pressed] = decision.type === 'approve' ? [approve, 'approve'] : [reject, 'reject'];
  const form = new URLSearchParams({ decision: pressed, reason: decision.reason ?? '' });
  const done = await fetch(link, { method: 'POST', body: form });
  const again = await fetch(link, { method: 'POST', body: form });
  console.log(`the button says ${done.status}, and when it is pressed once more ${again.status}`);
}
