//! The policies that count: which files there are, whom they belong to, whether the project's is trusted, and whether one
//! of them changed. The only room that reads policy files; blocks, so it is not for the JavaScript thread.
