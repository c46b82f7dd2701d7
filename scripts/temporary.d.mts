export function enterTemporary(memory?: number): () => void;
