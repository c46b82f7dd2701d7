//! Tests of the whole prover.
