/** A size, as the model reads it. */
export const bytesOf = (count: number): string => (count === 1 ? '1 byte' : `${count} bytes`);
