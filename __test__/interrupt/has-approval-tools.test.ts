import { describe, expect, it } from 'vitest';
import { hasApprovalTools } from '../../ts/index.js';

describe('hasApprovalTools', () => {
  it.each([
    ['none', false],
    ['all', true],
    [[], false],
    [['del'], true],
    [{}, false],
    [{ del: false }, false],
    [{ del: true }, true],
    [{ del: {} }, true],
    [{ del: { shouldApprove: () => false } }, true],
    [{ del: false, read: true }, true],
    [{ '*': true }, true],
    [{ '*': false }, false],
    [{ '*': { timeout: 5 } }, true],
  ])('%j: %s', (interruptOn, expected) => {
    expect(hasApprovalTools(interruptOn as never)).toBe(expected);
  });

  it('a configuration of the wrong shape is an error', () => {
    for (const interruptOn of [
      undefined,
      null,
      { del: undefined },
      7,
      'some',
      { del: 'yes' },
      Object.create({ del: true }),
    ]) {
      expect(() => hasApprovalTools(interruptOn as never)).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }) as Error,
      );
    }
  });
});
