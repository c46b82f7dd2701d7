/** Calls each entry, and gives what it said before it returned: `null`, or the code of an error with its message. */
export async function toldBy(entries) {
  const told = {};
  for (const [name, call] of Object.entries(entries)) {
    try {
      await call();
      told[name] = null;
    } catch (error) {
      told[name] = `${error.code}: ${error.message}`;
    }
  }
  return told;
}
