/** The servers that tests run on do what tests need of them. */
import { describe, expect, it } from 'vitest';
import { isThorough } from '../../support/effort.js';
import { isMissing, ownServer, query, titled, urlWith, type Stop } from '../../support/postgres.js';

describe.skipIf(isMissing)(titled('a server of a test'), () => {
  const server = ownServer();

  it.each((isThorough ? ['crash', 'immediate', 'fast', 'smart'] : ['crash', 'smart']) satisfies Stop[])(
    'keeps what it has when it stops: %s',
    async (how) => {
      await query(server.url, `CREATE TABLE ${how} (x int); INSERT INTO ${how} VALUES (1)`);
      await server.stop(how);
      await expect(query(server.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
      await server.start();
      expect(await query(server.url, `SELECT x FROM ${how}`)).toEqual([{ x: 1 }]);
    },
  );

  it('writes to its disk before it answers', async () => {
    const [settings] = await query(
      server.url,
      "SELECT current_setting('fsync') f, current_setting('synchronous_commit') c",
    );
    expect(settings).toEqual({ f: 'on', c: 'on' });
  });

  it.runIf(isThorough)('has followers that can be promoted', async () => {
    await query(server.url, 'CREATE TABLE kept (x int); INSERT INTO kept VALUES (1)');
    const follower = await server.standby();
    expect(await query(follower, 'SELECT x, pg_is_in_recovery() AS "isFollower" FROM kept')).toEqual([
      { x: 1, isFollower: true },
    ]);
    await expect(query(follower, 'INSERT INTO kept VALUES (2)')).rejects.toMatchObject({ code: '25006' });
    await server.stop('crash');
    await query(follower, 'SELECT pg_promote()');
    await query(follower, 'INSERT INTO kept VALUES (3)');
    expect(await query(urlWith(follower, {}), 'SELECT x FROM kept')).toEqual([{ x: 1 }, { x: 3 }]);
  });
});
