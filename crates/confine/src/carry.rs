//! Connections to the caller's proxy, carried out of a network that nothing else is in.
//!
//! The socket that listens is of the command's network, these threads are outside of it: each connection that comes is joined
//! with one to the same port out here.

use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::thread;

/// Carries until this process ends.
pub(crate) fn start(listener: TcpListener, port: u16) {
    thread::spawn(move || {
        for inside in listener.incoming().flatten() {
            // A proxy that is not there looks to the command like one that hangs up.
            thread::spawn(move || {
                TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map(|outside| join(inside, outside))
            });
        }
    });
}

fn join(inside: TcpStream, outside: TcpStream) {
    let copies = (inside.try_clone(), outside.try_clone());
    let (Ok(inside_too), Ok(outside_too)) = copies else { return };
    let back = thread::spawn(move || pump(outside_too, inside_too));
    pump(inside, outside);
    let _ = back.join();
}

/// Until one side is done; the other is told that no more comes.
fn pump(mut from: TcpStream, mut to: TcpStream) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
    let _ = from.shutdown(Shutdown::Read);
}
