/** What a receiver is sent when names are chosen to make it show something else. */
import { expect, test } from 'vitest';
import { createGate } from '../../ts/index.js';
import { sendWebhooks } from '../../ts/webhooks/index.js';
import { HOSTILE, forbiddenIn } from '../policy/hostile.js';
import { receiver, SECRET } from './receiver.js';

/** NULs and halves of characters are refused as names. */
const names = HOSTILE.filter(([, text]) => !/[\0\ud800-\udfff]/.test(text));

test('the summary, the description and the preview are safe to show', async () => {
  const hooks = await receiver();
  await using gate = createGate();
  await using sender = await sendWebhooks(gate, {
    endpoints: [{ url: hooks.url, secret: SECRET }],
    include: 'preview',
    firstDelay: 5,
  });
  for (const [index, [, text]] of names.entries()) {
    const asking = gate.request({ toolName: `pay ${text}`, toolCallId: `c${index}`, args: { [text]: text } });
    const [request] = await gate.pending();
    await gate.approve(request?.approvalId ?? '', { by: `ada ${text}` });
    await asking;
  }
  await hooks.until(({ taken }) => taken.length === 2 * names.length);
  await sender.close();
  for (const { event } of hooks.taken) {
    const { summary, ...data } = event.data;
    const shown = [summary, ...['description', 'preview'].map((key) => Reflect.get(data, key) as unknown)];
    expect(summary).not.toContain('\n');
    for (const text of shown) {
      expect(text).toBeTypeOf('string');
      expect(forbiddenIn(text as string)).toEqual([]);
    }
  }
});
