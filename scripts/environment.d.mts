export function enterPlainEnvironment(): void;
