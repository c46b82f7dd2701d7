//! The tables can be read, and what they name is there.

#[test]
fn each_line_of_each_table_is_understood() {
    let faults = crate::shell::effects::tables().check();
    assert!(faults.is_empty(), "{faults:#?}");
}
