//! How both sides of the sandbox speak: lengths and bytes over a pipe.

use std::io::{self, Read, Write};

/// The longest message, so that a broken pipe cannot ask for all memory.
const LONGEST: u32 = 16 << 20;

/// Sends bytes.
pub(crate) fn send(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(bytes)
}

/// Receives bytes.
pub(crate) fn receive(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}
